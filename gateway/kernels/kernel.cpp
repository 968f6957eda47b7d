#include "gateway/kernels/kernel.hpp"

#include <boost/asio/post.hpp>
#include <chrono>
#include <csignal>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/kernels/kernel_implementation.hpp"
#include "gateway/kernels/launch_command.hpp"
#include "gateway/kernels/own_messages.hpp"

namespace gateway::kernels {
namespace {

failure gone() { return {errc::cancelled, "the kernel was given up while this waited for it"}; }

lifecycle_event request_event(lifecycle_event::kind what, end_reason why = end_reason::none, bool kill = false) {
    lifecycle_event event{what};
    event.why = why;
    event.kill = kill;
    return event;
}

// The entry of a request that waits for its reply; also gone when the waiting coroutine is cancelled.
template <class Owner>
class asked_entry {
  public:
    asked_entry(Owner& owner, std::string id) : owner_(owner), id_(std::move(id)) {}
    ~asked_entry() { owner_.asked.erase(id_); }
    asked_entry(const asked_entry&) = delete;
    asked_entry& operator=(const asked_entry&) = delete;

  private:
    Owner& owner_;
    std::string id_;
};

}  // namespace

// Posted, so that no listener is called from inside a call to kernel; returns when the machine has seen it.
awaitable<void> kernel::implementation::request(self_pointer self, lifecycle_event event) {
    auto seen = std::make_shared<bool>(false);
    asio::post(self->shared.ex, [self, event, seen] {
        *seen = true;
        self->feed(event);
        self->changed.notify_all();
    });
    while (!*seen && !self->closed) co_await self->changed.wait();
}

awaitable<result<void>> kernel::implementation::ready(self_pointer self) {
    for (;;) {
        if (self->closed) co_return gone();
        if (self->machine.where() == phase::running) co_return result<void>();
        if (self->machine.where() == phase::dead) break;
        co_await self->changed.wait();
    }
    if (self->machine.is_final()) co_return failure{errc::kernel_dead, "the kernel was shut down"};
    co_return failure{errc::kernel_start_failed, self->failure_text};
}

awaitable<result<messaging::message>> kernel::implementation::ask(self_pointer self, messaging::message what,
                                                                  milliseconds limit) {
    auto header = messaging::parse_header(what.header);
    auto id = header ? header->msg_id : std::string();
    auto asked_of = self->generation;
    auto deadline = std::chrono::steady_clock::now() + limit;
    auto& answer = self->asked[id];
    asked_entry forget_later(*self, id);
    self->send_own(what);
    auto alive = [&] {
        return !self->closed && self->generation == asked_of && self->machine.where() == phase::running;
    };
    while (!answer && alive() && std::chrono::steady_clock::now() < deadline) {
        auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
        co_await self->changed.wait_for(left + milliseconds(1));
    }
    if (answer) co_return std::move(*answer);
    if (!alive()) co_return failure{errc::kernel_dead, "the kernel ended before it answered"};
    co_return failure{errc::timeout, "the kernel gave no answer within " + std::to_string(limit.count()) + " ms"};
}

awaitable<result<void>> kernel::implementation::interrupt(self_pointer self) {
    auto where = self->machine.where();
    if (self->closed || where == phase::dead) co_return failure{errc::kernel_dead, "the kernel is dead: restart it"};
    if (where != phase::running || !self->running) co_return result<void>();
    if (self->options.spec.interrupt_mode != "message") {
        // Until it is there: the caller's next request would be interrupted instead.
        auto which = *self->running;
        auto& processes = self->shared.processes;
        processes.signal(which, SIGINT);
        co_await processes.delivered(std::move(which));
        co_return result<void>();
    }
    auto message = make_interrupt_request(self->own_session);
    auto reply = co_await ask(self, std::move(message), self->shared.limits.interrupt_wait);
    if (!reply) co_return reply.error();
    co_return result<void>();
}

awaitable<result<void>> kernel::implementation::configure(self_pointer self, std::map<std::string, std::string> env,
                                                          std::string cell_defaults) {
    if (!self->options.spec.is_python())
        co_return failure{errc::conflict, "only a Python kernel takes another environment while it runs"};
    std::map<std::string, std::optional<std::string>> changes;
    for (const auto& [name, value] : self->options.env)
        if (!env.contains(name)) changes[name] = std::nullopt;
    for (const auto& [name, value] : env) changes[name] = value;
    auto message = make_configuration(self->own_session, changes, cell_defaults);
    auto reply = co_await ask(self, std::move(message), self->shared.limits.interrupt_wait);
    if (!reply) co_return reply.error();
    auto error = reply_error(reply->content);
    if (!error.empty()) co_return failure{errc::internal_error, "the kernel did not take its settings: " + error};
    self->options.env = std::move(env);
    self->options.cell_defaults = std::move(cell_defaults);
    co_return result<void>();
}

awaitable<void> kernel::implementation::shutdown(self_pointer self, end_reason why) {
    co_await request(self, request_event(lifecycle_event::shutdown_requested, why));
    while (!self->closed && self->machine.where() != phase::dead) co_await self->changed.wait();
}

awaitable<result<std::string>> kernel::implementation::run(self_pointer self, program_start what, program_files files,
                                                           std::function<void(program_end)> on_end) {
    const failure not_there{errc::kernel_dead, "the kernel does not run, and so nothing can be run beside it"};
    if (self->closed || self->machine.where() != phase::running || !self->running) co_return not_there;
    auto request = make_run_request(self->shared, self->options, std::move(what));
    request.id = "run-" + random_hex(8);
    request.box = self->running->id;
    const auto id = request.id;
    const auto started_in = self->generation;
    auto* processes = &self->shared.processes;
    auto starting = processes->run(std::move(request), std::move(files), std::move(on_end));
    auto started = co_await std::move(starting);
    if (started) co_return id;
    const bool still_there = !self->closed && self->generation == started_in && self->running;
    co_return still_there ? started.error() : not_there;
}

kernel::kernel(kernel_environment& shared, kernel_options options, kernel_listener& listener)
    : implementation_(std::make_shared<implementation>(shared, std::move(options), listener)) {}

kernel::~kernel() { implementation_->close(); }

awaitable<result<void>> kernel::start() {
    auto self = implementation_;
    auto event = request_event(lifecycle_event::start_requested);
    co_await implementation::request(self, event);
    co_return co_await implementation::ready(self);
}

awaitable<result<void>> kernel::restart(end_reason why, bool kill) {
    auto self = implementation_;
    auto event = request_event(lifecycle_event::restart_requested, why, kill);
    co_await implementation::request(self, event);
    co_return co_await implementation::ready(self);
}

awaitable<result<void>> kernel::interrupt() { return implementation::interrupt(implementation_); }

awaitable<result<void>> kernel::configure(std::map<std::string, std::string> env, std::string cell_defaults) {
    return implementation::configure(implementation_, std::move(env), std::move(cell_defaults));
}

awaitable<void> kernel::shutdown(end_reason why) { return implementation::shutdown(implementation_, why); }

awaitable<result<std::string>> kernel::run(program_start what, program_files files,
                                           std::function<void(program_end)> on_end) {
    return implementation::run(implementation_, std::move(what), std::move(files), std::move(on_end));
}

void kernel::signal_program(const std::string& id, int number, bool sweep) {
    implementation_->shared.processes.signal_run(id, number, sweep);
}

void kernel::set_listener(kernel_listener& listener) { implementation_->listener = &listener; }

void kernel::on_proxy_listener(std::function<void(::kernel::file_descriptor)> take) {
    implementation_->take_proxy_listener = std::move(take);
    implementation_->pass_proxy_listener();
}

void kernel::set_limits(const ::kernel::box_limits& limits, bool now) {
    auto& self = *implementation_;
    self.options.limits = limits;
    if (now && self.running) self.shared.processes.limit(*self.running, limits);
}

void kernel::call_spec(const std::string& name) { implementation_->options.spec.name = name; }

result<void> kernel::send(const messaging::message& what) {
    auto& self = *implementation_;
    auto where = self.machine.where();
    // A process that is ending still takes messages, as one does that nobody knows to have died: the news answers them.
    auto takes = self.was_ready && (where == phase::running || where == phase::stopping || where == phase::draining);
    if (!takes || !self.sockets)
        return failure{errc::kernel_dead, std::string("the kernel takes no messages: it is ") + to_string(where)};
    auto sent = self.sockets->send(what);
    if (!sent) return failure{errc::io_error, "cannot send to the kernel: " + sent.error().message()};
    return {};
}

const std::string& kernel::id() const { return implementation_->options.id; }
const kernelspec& kernel::spec() const { return implementation_->options.spec; }
kernel_state kernel::state() const { return implementation_->machine.state(); }
end_reason kernel::reason() const { return implementation_->machine.reason(); }
const std::string& kernel::failure_text() const { return implementation_->failure_text; }
const std::string& kernel::kernel_session() const { return implementation_->kernel_session; }
const std::string& kernel::info_reply() const { return implementation_->info_reply; }
const std::string& kernel::connection_file() const { return implementation_->files.connection_file(); }
int kernel::restarts() const { return implementation_->machine.restarts(); }

}  // namespace gateway::kernels
