// Kernelspecs, found where Jupyter finds them. Values; a store owned by main; io thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/kernels/kernelspec_hints.hpp"

namespace gateway::kernels {

inline constexpr const char* own_kernel = "cellgate";   // the kernelspec of our Python kernel
inline constexpr const char* usual_kernel = "python3";  // what notebooks ask for
inline constexpr const char* usual_title = "Python 3";
inline constexpr const char* displaced_kernel = "ipykernel";  // what was python3 before ours took the name

struct kernelspec {
    std::string name;
    std::string directory;  // holds kernel.json, logos, kernel.js
    std::string json;       // the text of kernel.json, as it is (always a valid object)
    std::string display_name;
    std::string language;
    std::vector<std::string> argv;
    std::map<std::string, std::string> env;
    std::string interrupt_mode = "signal";         // or "message"
    std::string metadata = "{}";                   // JSON object
    kernelspec_hints hints;                        // metadata.cellgate
    std::string protocol_version;                  // kernel_protocol_version, empty when not given
    std::map<std::string, std::string> resources;  // "logo-64x64" → "logo-64x64.png", as jupyter_server lists them

    bool is_python() const { return language == "python"; }
};

// Which kernel has the name python3, once our own is installed.
enum class python3_kernel { own, installed };

class kernelspec_store {
  public:
    // Looks in `directories` in order (each holds NAME/kernel.json); the first that has a name wins, names compare in
    // lower case. Rescans when a directory's mtime changed or 5 s have passed; a bad spec is left out and logged once.
    // With python3_kernel::own, and only where there is a spec `cellgate`, that is listed as python3 too, and what was
    // python3 as ipykernel, unless something else has that name.
    explicit kernelspec_store(std::vector<std::string> directories, python3_kernel python3 = python3_kernel::own);

    const std::map<std::string, kernelspec>& list();
    // What `wanted` stands for: itself, but python3 for our own kernel where that is not installed.
    const std::string& default_name(const std::string& wanted);
    // Knows "python" as an alias of python3; kernelspec_not_found names what there is.
    result<kernelspec> find(const std::string& name);

  private:
    void rescan();
    void add(const std::string& directory, const std::string& name);
    void name_python3();
    std::vector<std::string> directories_;
    python3_kernel python3_;
    std::map<std::string, kernelspec> found_;
    std::map<std::string, long long> signature_;     // directory → mtime
    std::map<std::string, std::string> complaints_;  // spec directory → why it was left out, logged once
    long long scanned_at_ = 0;
};

// JUPYTER_PATH, the user's data directory, the prefix of `extra_prefixes` (share/jupyter), /usr/local and /usr share.
std::vector<std::string> kernelspec_directories(const std::vector<std::string>& extra_prefixes);

}  // namespace gateway::kernels
