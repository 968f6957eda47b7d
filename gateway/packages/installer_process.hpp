// One run of cellgate_installer (kernel/python), a child process of the gateway with the gateway's network. Owned by
// the installer; io thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"

namespace gateway::tools {
class child_process;
}

namespace gateway::packages {

class installer_process {
  public:
    explicit installer_process(executor ex);
    installer_process(const installer_process&) = delete;
    installer_process& operator=(const installer_process&) = delete;
    ~installer_process();  // kills it, with all that it started

    // Runs the program with `input` on its standard input; what it wrote to its standard output. io_error when it could
    // not be started or ended without an answer, cancelled after kill().
    awaitable<result<std::string>> run(std::vector<std::string> command, std::map<std::string, std::string> env,
                                       std::string input);
    void kill();

  private:
    awaitable<void> write(std::string input);
    awaitable<void> read_errors();

    executor ex_;
    std::unique_ptr<tools::child_process> child_;
    std::string errors_;
    bool killed_ = false;
};

}  // namespace gateway::packages
