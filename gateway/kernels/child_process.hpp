// A child that was started with a socket as its descriptor 3. A resource: when it goes, the child is ended and reaped.
// Waits only where it says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/base/result.hpp"
#include "kernel/launcher/file_descriptor.hpp"

namespace gateway::kernels {

class child_process {
  public:
    // `socket` becomes the child's descriptor 3; everything else must be close-on-exec. With default signals, in a
    // session of its own, and with nothing of this process's environment but LD_LIBRARY_PATH.
    static result<child_process> start(const std::vector<std::string>& argv, int socket);
    child_process(child_process&&) noexcept = default;
    child_process& operator=(child_process&&) = delete;
    // Kills a child that still runs.
    ~child_process();

    // waitpid's status; nothing while it runs, after waiting at most `limit` for its end.
    std::optional<int> wait(milliseconds limit);

  private:
    child_process(int pid, ::kernel::file_descriptor pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

    int pid_;
    ::kernel::file_descriptor pidfd_;
    std::optional<int> status_;
};

// "exit status 1", "signal 9".
std::string describe_status(int status);

}  // namespace gateway::kernels
