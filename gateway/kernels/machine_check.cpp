#include "gateway/kernels/machine_check.hpp"

#include <poll.h>

#include "gateway/kernels/launcher_start.hpp"
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
    std::vector<std::string> asked = {"check"};
    asked.insert(asked.end(), directories.begin(), directories.end());
    auto started = start_launcher(program, boxes, asked);
    if (!started) return started.error();
    auto found = read_findings(started->socket.get());
    if (found.empty())
        return failure{errc::io_error, "the launcher " + program + " did not say what the machine offers"};
    return found;
}

}  // namespace gateway::kernels
