#include "gateway/kernels/machine_check.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "gateway/kernels/child_process.hpp"
#include "kernel/launcher/channel.hpp"
#include "kernel/launcher/codec.hpp"

namespace gateway::kernels {
namespace {

constexpr int answer_limit_ms = 20'000;  // twice what its box may take

std::vector<finding> read_findings(int socket) {
    std::vector<finding> all;
    for (;;) {
        pollfd waited{socket, POLLIN, 0};
        if (::poll(&waited, 1, answer_limit_ms) <= 0) return all;
        auto in = ::kernel::receive_text(socket, false);
        if (in.state != ::kernel::channel_state::ok) return all;
        if (auto found = ::kernel::decode_finding(in.text)) all.push_back(std::move(*found));
    }
}

}  // namespace

result<std::vector<finding>> check_machine(const std::string& program, const box_settings& boxes,
                                           const std::vector<std::string>& directories) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return failure{errc::io_error, std::string("cannot make the launcher's socket: ") + std::strerror(errno)};
    ::kernel::file_descriptor ours(ends[0]);
    ::kernel::file_descriptor theirs(ends[1]);
    auto argv = launcher_arguments(program, boxes);
    argv.emplace_back("check");
    argv.insert(argv.end(), directories.begin(), directories.end());
    auto child = child_process::start(argv, theirs.get());
    if (!child) return child.error();
    theirs.reset();
    auto found = read_findings(ours.get());
    if (found.empty())
        return failure{errc::io_error, "the launcher " + program + " did not say what the machine offers"};
    return found;
}

}  // namespace gateway::kernels
