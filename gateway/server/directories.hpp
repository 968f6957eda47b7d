// The directories that one running gateway has for itself. Owned by the server for as long as it runs.
#pragma once

#include <string>

#include "gateway/base/result.hpp"

namespace gateway::server {

// DATA_DIR (0700) and RUNTIME_DIR/<8 hex of DATA_DIR>, emptied, each with its lock: two gateways never share either,
// and one that cannot have both leaves both as they are.
class directories {
  public:
    // io_error says which directory, why, and what to set.
    static result<directories> claim(const std::string& data_dir, const std::string& runtime_dir);
    directories(directories&& other) noexcept;
    directories& operator=(directories&&) = delete;
    ~directories();

    const std::string& data() const { return data_; }
    const std::string& runtime() const { return runtime_; }               // kernels' sockets and connection files
    std::string empty() const { return runtime_ + "/empty"; }             // has no entries, ever
    std::string helper_sockets() const { return runtime_ + "/helpers"; }  // bound into every box

  private:
    directories() = default;
    std::string data_;
    std::string runtime_;
    int data_lock_ = -1;
    int runtime_lock_ = -1;  // from then on the directory is ours to remove
};

}  // namespace gateway::server
