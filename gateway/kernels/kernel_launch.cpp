// A kernel's process from the request for it to the report of its end, and the sockets to it.
#include <boost/asio/post.hpp>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/kernels/kernel_implementation.hpp"
#include "gateway/kernels/launch_command.hpp"
#include "gateway/kernels/own_directories.hpp"

namespace gateway::kernels {
namespace {

lifecycle_settings settings_of(const kernel_environment& shared, const kernelspec& spec) {
    lifecycle_settings settings;
    settings.inject = spec.is_python() && !shared.package_dir.empty();
    settings.fixed = spec.hints.over;
    settings.restart_limit = shared.limits.restart_limit;
    auto known = shared.proven_transports.find(spec.directory);
    if (known != shared.proven_transports.end()) settings.proven = known->second;
    return settings;
}

}  // namespace

kernel::implementation::implementation(kernel_environment& shared, kernel_options options, kernel_listener& listener)
    : shared(shared),
      options(std::move(options)),
      listener(&listener),
      machine(settings_of(shared, this->options.spec)),
      files(shared.runtime_dir, this->options.id),
      changed(shared.ex),
      own_session(make_uuid()) {}

void kernel::implementation::begin_launch(transport over) {
    auto launched_as = ++generation;
    running.reset();
    early_exit.reset();
    last_end.reset();
    launch_error.clear();
    was_ready = iopub_was_seen = session_is_known = executed_was_told = false;
    auto renewed = files.renew(over, options.spec.name, options.own_network);
    auto made = renewed ? make_launch_request(shared, options, files.box_directory(), files.output_file())
                        : result<::kernel::launch_request>(renewed.error());
    if (!made) {
        launch_error = made.error().message;
        return post({lifecycle_event::launch_failed});
    }
    connection = std::move(*renewed);
    open_own_directories(made->mounts);
    made->relays = files.relays();
    made->id += "-" + random_hex(4);  // the box of the process before may still be going
    auto failed = [weak = weak_from_this(), launched_as](std::exception_ptr error) {
        auto self = weak.lock();
        if (error && self && self->generation == launched_as)
            self->launch_answered(launched_as, failure{errc::internal_error, "the launcher failed"});
    };
    asio::co_spawn(shared.ex, launch(shared_from_this(), launched_as, std::move(*made)), std::move(failed));
}

// Not cancelled with the kernel: whoever launches must hear of the process, to end it.
awaitable<void> kernel::implementation::launch(self_pointer self, int as, ::kernel::launch_request what) {
    auto* processes = &self->shared.processes;
    std::function<void(process_end)> on_exit = [weak = std::weak_ptr(self), as](process_end end) {
        if (auto alive = weak.lock()) alive->process_exited(as, end);
    };
    auto outcome = co_await processes->launch(std::move(what), std::move(on_exit));
    if (!self->closed && self->generation == as && self->machine.where() == phase::launching)
        co_return self->launch_answered(as, std::move(outcome));
    if (outcome) processes->kill(*outcome);
}

void kernel::implementation::launch_answered(int as, result<process> outcome) {
    auto self = shared_from_this();
    if (!outcome) {
        launch_error = outcome.error().message;
        return feed({lifecycle_event::launch_failed});
    }
    running = std::move(*outcome);
    pass_proxy_listener();
    feed({lifecycle_event::launched});
    if (auto end = std::exchange(early_exit, std::nullopt)) process_exited(as, *end);
}

// Posted: a launcher may report from inside kill().
void kernel::implementation::process_exited(int as, process_end end) {
    asio::post(shared.ex, [weak = weak_from_this(), as, end] {
        auto self = weak.lock();
        if (!self || self->closed || self->generation != as) return;
        if (!self->running) {
            self->early_exit = end;
            return;
        }
        self->running.reset();
        if (self->take_proxy_listener) self->take_proxy_listener({});
        self->last_end = end;
        lifecycle_event event{lifecycle_event::exited};
        event.status = end.status;
        event.oom = end.oom;
        self->feed(event);
    });
}

// Once there is somebody who takes it.
void kernel::implementation::pass_proxy_listener() {
    if (!take_proxy_listener || !running || !running->proxy_listener) return;
    auto listener = std::exchange(running->proxy_listener, nullptr);
    take_proxy_listener(std::move(*listener));
}

void kernel::implementation::connect() {
    auto as = generation;
    auto on_message = [weak = weak_from_this(), as](messaging::message what) {
        auto self = weak.lock();
        if (self && !self->closed && self->generation == as) self->take(std::move(what));
    };
    auto on_invalid = [id = options.id](messaging::channel where, boost::system::error_code why) {
        log::warning("kernel {}: a message on {} was refused: {}", id, messaging::to_string(where), why.message());
    };
    sockets = std::make_unique<messaging::kernel_sockets>(shared.ex, *connection, std::move(on_message),
                                                          std::move(on_invalid), shared.pool);
}

}  // namespace gateway::kernels
