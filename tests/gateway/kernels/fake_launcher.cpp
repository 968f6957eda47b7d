#include "tests/gateway/kernels/fake_launcher.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <fstream>
#include <iterator>

#include "messaging/connection_file.hpp"

namespace gateway::kernels {
namespace {

constexpr int exit_status_1 = 1 << 8;

// What the kernel would read in its box, with the paths of the host.
messaging::connection_info connection_of(const ::kernel::launch_request& request,
                                         const std::function<std::string(std::string)>& place) {
    for (const auto& mount : request.mounts) {
        if (mount.target != "/run/k") continue;
        std::ifstream file(mount.source + "/connection.json");
        std::string text(std::istreambuf_iterator<char>(file), {});
        auto info = messaging::parse_connection_file(text).value();
        if (info.transport == "ipc")
            info.ip.replace(0, mount.target.size(), place ? place(mount.source) : mount.source);
        return info;
    }
    return {};
}

}  // namespace

void fake_launcher::next(behaviour how, int count) {
    script_.insert(script_.end(), static_cast<std::size_t>(count), how);
}

std::size_t fake_launcher::alive() const {
    return static_cast<std::size_t>(
        std::count_if(children_.begin(), children_.end(), [](const child& each) { return !each.ended; }));
}

fake_launcher::behaviour fake_launcher::take_behaviour() {
    if (script_.empty()) return behaviour::runs;
    auto how = script_.front();
    script_.pop_front();
    return how;
}

fake_launcher::child* fake_launcher::find(const std::string& id) {
    for (auto& each : children_)
        if (each.request.id == id) return &each;
    return nullptr;
}

void fake_launcher::run_kernel(child& which) {
    which.kernel = std::make_unique<test_support::fake_kernel>(connection_of(which.request, place));
    which.kernel->when("shutdown_request", [this, id = which.request.id](auto& kernel, const auto& request) {
        kernel.busy(request);
        kernel.reply(request);
        kernel.idle(request);
        asio::post(ex_, [this, id] { end(*find(id), 0); });
    });
    if (prepare_kernel) prepare_kernel(*which.kernel);
}

awaitable<result<process>> fake_launcher::launch(::kernel::launch_request what,
                                                 std::function<void(process_end)> on_exit) {
    auto how = take_behaviour();
    if (how == behaviour::is_refused) co_return failure{errc::kernel_start_failed, "no box could be made"};
    auto& made = children_.emplace_back();
    made.request = std::move(what);
    made.on_exit = std::move(on_exit);
    made.known = {made.request.id, ++next_pid_, ++next_pid_};
    if (how == behaviour::hangs) co_await released_.wait();
    if (how == behaviour::runs) run_kernel(made);
    if (how == behaviour::exits || how == behaviour::exits_early) {
        std::ofstream(made.request.output_file) << "Traceback\nImportError: no module named x\n";
        end(made, exit_status_1);
    }
    if (how == behaviour::exits_early) co_await asio::post(ex_, asio::use_awaitable);
    co_return made.known;
}

void fake_launcher::end(child& which, process_end how, bool late) {
    if (which.ended) return;
    which.ended = true;
    if (!late) which.kernel.reset();
    asio::post(ex_, [on_exit = which.on_exit, how] { on_exit(how); });
}

void fake_launcher::release() { released_.notify_all(); }

void fake_launcher::limit(const process& which, const ::kernel::box_limits& limits) {
    if (auto* found = find(which.id)) found->limits.push_back(limits);
}

void fake_launcher::signal(const process& which, int number) {
    if (auto* found = find(which.id)) found->signals.push_back(number);
}

awaitable<result<void>> fake_launcher::run(::kernel::run_request what, program_files files,
                                           std::function<void(program_end)> on_end) {
    co_await asio::post(ex_, asio::use_awaitable);
    if (refuse_programs) co_return *refuse_programs;
    auto& made = programs.emplace_back();
    made.request = std::move(what);
    made.files = std::move(files);
    made.on_end = std::move(on_end);
    co_return result<void>();
}

void fake_launcher::signal_run(const std::string& id, int number, bool sweep) {
    for (auto& each : programs)
        if (each.request.id == id) each.signals.emplace_back(number, sweep);
}

void fake_launcher::kill(const process& which) {
    auto* found = find(which.id);
    if (!found) return;
    found->killed = true;
    end(*found, SIGKILL);
}

}  // namespace gateway::kernels
