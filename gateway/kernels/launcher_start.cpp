#include "gateway/kernels/launcher_start.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace gateway::kernels {

result<started_launcher> start_launcher(const std::string& program, const box_settings& boxes,
                                        const std::vector<std::string>& more) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return failure{errc::io_error, std::string("cannot make the launcher's socket: ") + std::strerror(errno)};
    ::kernel::file_descriptor ours(ends[0]);
    ::kernel::file_descriptor theirs(ends[1]);
    std::vector<std::string> argv = {program, boxes.confined ? "full" : "none", std::to_string(boxes.first_uid),
                                     std::to_string(boxes.uid_count)};
    argv.insert(argv.end(), more.begin(), more.end());
    auto child = child_process::start(argv, theirs.get());
    if (!child) return child.error();
    return started_launcher{std::move(*child), std::move(ours)};
}

}  // namespace gateway::kernels
