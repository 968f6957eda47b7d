#include "kernel/launcher/service.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>

#include "kernel/launcher/channel.hpp"
#include "kernel/launcher/codec.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/file_wall.hpp"

namespace kernel {
namespace {

// How often the output files' sizes are looked at, and whether ended kernels had their status told.
constexpr std::chrono::milliseconds tick_interval(1000);
// How soon a control group that could not be removed is tried again: its last process may not be quite gone.
constexpr std::chrono::milliseconds sweep_interval(20);

file_descriptor watch_children() {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    return file_descriptor(require(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK), "make a signalfd"));
}

void empty_signals(int signals) {
    signalfd_siginfo consumed;
    while (read(signals, &consumed, sizeof consumed) > 0) {
    }
}

}  // namespace

service::service(int socket, const isolation& how, id_range ids)
    : socket_(socket), how_(how), users_(ids), deaths_(watch_children()), nursery_(how) {}

void service::run() {
    limits_notice offered = groups_.offered();
    offered.no_landlock = how_.confined ? find_landlock().reason : "boxes are not confined";
    answer(offered);
    for (bool peer = true; peer;) {
        std::vector<pollfd> waited = what_to_wait_for();
        if (poll(waited.data(), waited.size(), time_to_wait()) < 0) continue;
        empty_signals(deaths_.get());
        tick();
        // Zygotes before boxes: a box is empty only after its kernel's status was sent.
        look_after_zygotes();
        look_after_runs();
        reap_children();
        // Boxes before commands: the answer of an older launch goes before a newer one begins.
        look_after_boxes(waited);
        bury_dying();
        unswept_ = groups_.sweep();
        // Again: a child that is reaped by its descriptor may have stood before others.
        reap_children();
        if (waited.front().revents != 0) peer = receive_command();
        look_after_zygotes();
    }
    kill_all();
}

int service::time_to_wait() const {
    using std::chrono::milliseconds;
    milliseconds longest = boxes_.empty() ? milliseconds::max() : tick_interval;
    if (unswept_) longest = sweep_interval;
    if (auto deadline = nursery_.deadline()) {
        auto left = std::chrono::ceil<milliseconds>(*deadline - zygote::clock::now());
        longest = std::clamp(left, milliseconds(0), longest);
    }
    return longest == milliseconds::max() ? -1 : static_cast<int>(longest.count());
}

void service::tick() {
    auto now = std::chrono::steady_clock::now();
    if (now - ticked_ < tick_interval) return;
    ticked_ = now;
    for (auto& [id, each] : boxes_) {
        each.output.trim();
        check_untold(each);
    }
    nursery_.trim_outputs();
}

std::vector<pollfd> service::what_to_wait_for() const {
    std::vector<pollfd> all = {{socket_, POLLIN, 0}};
    for (const auto& [id, each] : boxes_) {
        all.push_back({each.silent ? -1 : each.inside.reports(), POLLIN, 0});
        all.push_back({each.inside.end(), POLLIN, 0});
    }
    for (const box& each : dying_) all.push_back({each.end(), POLLIN, 0});
    for (const auto& [id, each] : runs_) all.push_back({each.reports.get(), POLLIN, 0});
    all.push_back({deaths_.get(), POLLIN, 0});
    nursery_.wait_for(all);
    return all;
}

// `waited` is in the order of boxes_; a box that was replaced since has another descriptor.
void service::look_after_boxes(const std::vector<pollfd>& waited) {
    std::size_t at = 1;
    for (auto each = boxes_.begin(); each != boxes_.end(); at += 2) {
        auto current = each++;
        if (waited[at + 1].fd != current->second.inside.end()) continue;
        const short reported = waited[at].revents;
        if ((reported & POLLIN) != 0) update(current->first, current->second);
        // Init closes its files before its box is empty, which may take long: do not spin until then.
        if ((reported & (POLLIN | POLLHUP)) == POLLHUP) current->second.silent = true;
        if (waited[at + 1].revents != 0) {
            reply last = finish(current->first, current->second);
            boxes_.erase(current);  // first: who hears of the end finds nothing left
            answer(last);
        }
    }
}

void service::bury_dying() {
    std::erase_if(dying_, [](box& each) { return each.is_empty(); });
}

void service::update(const std::string& id, living& each) {
    each.inside.receive();
    for (int count = each.inside.take_signals_sent(); count > 0; --count) answer(signal_notice{id});
    if (each.inside.waits_for_kernel()) ask_for_kernel(each);
    if (each.answered || !each.inside.runs()) return;
    each.answered = true;
    const launch_answer done{id, each.inside.kernel_pid(), each.inside.init_pid(), {}};
    const file_descriptor listener = each.inside.take_proxy_listener();
    const int number = listener.get();
    answer(done, std::span(&number, listener ? 1 : 0));
}

reply service::finish(const std::string& id, living& each) {
    update(id, each);
    nursery_.forget(id);
    each.inside.reap();
    each.output.trim();
    const bool oom = each.group.memory_kills() > 0;
    if (each.answered) return exit_notice{id, each.inside.status(), oom && WTERMSIG(each.inside.status()) == SIGKILL};
    const std::string& error = each.failure.empty() ? each.inside.error() : each.failure;
    return launch_answer{id, 0, 0, oom ? error + " (its memory ran out)" : error};
}

bool service::receive_command() {
    received_text in = receive_text(socket_, false);
    if (in.state == channel_state::would_block) return true;
    if (in.state != channel_state::ok) return false;
    std::optional<command> what = decode_command(in.text);
    if (what)
        std::visit([&](const auto& each) { handle(each, in.files); }, *what);
    else
        std::fprintf(stderr, "cellgate-launcher: not a command: %zu bytes\n", in.text.size());  // it may hold secrets
    return true;
}

void service::handle(const launch_request& what, files&) {
    try {
        check(what);
        if (boxes_.contains(what.id)) throw box_error("a kernel with the id " + what.id + " is alive");
        output_file output(what.output_file);
        control_group group = groups_.make();
        group.set(what.limits);
        box inside = make_box(what, output, group);
        if (what.zygote)
            nursery_.prepare(*what.zygote);  // while the box is assembled
        else
            output.close_writer();
        boxes_.emplace(what.id, living{what, std::move(output), std::move(group), std::move(inside)});
    } catch (const box_error& error) {
        answer(launch_answer{what.id, 0, 0, error.what()});
    }
}

box service::make_box(const launch_request& what, const output_file& output, const control_group& group) {
    return box::make(what, how_.with_network(what.own_network),
                     how_.users_of_its_own() ? users_.take(what.mounts) : nullptr, output.writer(), group,
                     [this] { forget_requests(); });
}

// In a child that becomes the init of a box, whose kernel can read its memory: what other sessions were started with.
void service::forget_requests() {
    for (auto& [id, each] : boxes_) each.request = {};
    nursery_.forget_all();
}

void service::handle(const signal_command& what, files&) {
    auto found = boxes_.find(what.id);
    if (found != boxes_.end()) found->second.inside.signal(what.number);
}

void service::handle(const kill_command& what, files&) {
    auto found = boxes_.find(what.id);
    if (found != boxes_.end()) found->second.inside.kill();
}

void service::handle(const limit_command& what, files&) {
    auto found = boxes_.find(what.id);
    if (found == boxes_.end()) return;
    try {
        check(what.limits);
        found->second.group.set(what.limits);
    } catch (const box_error& error) {
        std::fprintf(stderr, "cellgate-launcher: %s\n", error.what());
    }
}

void service::handle(const prepare_command& what, files&) {
    try {
        check(what.zygote);
        nursery_.prepare(what.zygote);
    } catch (const box_error& error) {
        std::fprintf(stderr, "cellgate-launcher: %s\n", error.what());
    }
}

void service::kill_all() {
    // Kernels whose zygote goes become children of this process, and would keep their boxes from ending.
    signal(SIGCHLD, SIG_IGN);
    nursery_.kill_all();
    for (auto& [id, each] : boxes_) each.inside.kill();
    // Those that had ended before signals were ignored.
    look_after_runs();
    for (auto& [id, each] : runs_)
        if (each.pid > 0) waitpid(each.pid, nullptr, WNOHANG);
    boxes_.clear();  // reaps
    dying_.clear();
}

// A peer that has gone is seen by the next poll.
void service::answer(const reply& what, std::span<const int> with) { send_text(socket_, encode(what), true, with); }

}  // namespace kernel
