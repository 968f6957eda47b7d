#include "gateway/kernels/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cassert>

#include "gateway/base/log.hpp"
#include "gateway/kernels/child_process.hpp"
#include "gateway/kernels/launcher_client.hpp"
#include "gateway/kernels/launcher_start.hpp"
#include "kernel/launcher/channel.hpp"
#include "kernel/launcher/codec.hpp"

namespace gateway::kernels {
namespace {

// Killing boxes takes milliseconds; only a process stuck in the system takes longer.
constexpr milliseconds end_limit{5'000};
// It has nothing to do before, but the machine may be busy.
constexpr milliseconds start_limit{20'000};

}  // namespace

struct launcher_process::implementation {
    implementation(child_process child, ::kernel::file_descriptor socket)
        : child(std::make_shared<child_process>(std::move(child))),
          socket(std::move(socket)),
          keeper(fcntl(this->socket.get(), F_DUPFD_CLOEXEC, 3)) {}
    ~implementation() {
        // Also when the client still lives and holds the socket.
        shutdown(keeper.get(), SHUT_RDWR);
        if (!child->wait(end_limit)) log::warning("the launcher did not end within {} ms: killed", end_limit.count());
    }

    std::shared_ptr<child_process> child;
    ::kernel::file_descriptor socket;  // the client's, once it is connected
    ::kernel::file_descriptor keeper;
};

result<launcher_process> launcher_process::start(const std::string& program, box_settings boxes) {
    auto started = start_launcher(program, boxes);
    if (!started) return started.error();
    return launcher_process(std::make_unique<implementation>(std::move(started->process), std::move(started->socket)));
}

launcher_process::launcher_process(std::unique_ptr<implementation> made) : implementation_(std::move(made)) {}
launcher_process::launcher_process(launcher_process&&) noexcept = default;
launcher_process& launcher_process::operator=(launcher_process&&) noexcept = default;
launcher_process::~launcher_process() = default;

result<::kernel::limits_notice> launcher_process::limits() {
    const int socket = implementation_->socket.get();
    pollfd waited{socket, POLLIN, 0};
    const failure silent{errc::kernel_start_failed,
                         "the process that launches kernels (kernels.launcher) does not say what it can do: is it a "
                         "cellgate-launcher of this version?"};
    if (::poll(&waited, 1, static_cast<int>(start_limit.count())) != 1) return silent;
    auto in = ::kernel::receive_text(socket, false);
    auto what = ::kernel::decode_reply(in.text);
    if (!what || !std::holds_alternative<::kernel::limits_notice>(*what)) return silent;
    return std::get<::kernel::limits_notice>(std::move(*what));
}

std::unique_ptr<launcher> launcher_process::connect(executor ex, std::function<void()> on_lost) {
    assert(implementation_->socket);
    auto how_it_ended = [child = implementation_->child]() -> std::string {
        // Its socket is closed while it ends: at most a moment before.
        auto status = child->wait(milliseconds(100));
        return status ? describe_status(*status) : "it closed its socket";
    };
    return make_launcher_client(std::move(ex), std::move(implementation_->socket), std::move(how_it_ended),
                                std::move(on_lost));
}

}  // namespace gateway::kernels
