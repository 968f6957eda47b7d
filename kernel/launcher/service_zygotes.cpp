// The part of the service that has to do with kernels which are forked from zygotes.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>

#include "kernel/launcher/service.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/descriptor_state.hpp"

namespace kernel {
namespace {

file_descriptor copy(int descriptor) {
    return file_descriptor(require(fcntl(descriptor, F_DUPFD_CLOEXEC, 3), "copy a descriptor"));
}

}  // namespace

// The box is assembled.
void service::ask_for_kernel(living& each) {
    try {
        const launch_request& what = each.request;
        fork_job job;
        job.request = {what.id,           what.argv,     what.env,         what.working_dir,
                       how_.unprivileged, how_.confined, what.own_network, static_cast<bool>(each.inside.wall())};
        job.init = copy(each.inside.end());
        job.reports = each.inside.take_kernels_end();
        job.output = copy(each.output.writer());
        if (job.request.walled) job.wall = copy(each.inside.wall().get());
        job.groups = each.group.entrances();
        each.output.close_writer();
        nursery_.add(*what.zygote, std::move(job));
    } catch (const box_error& error) {
        fail(each, error.what());
    }
}

// Until nothing more happens at once: what an event leads to may be the next.
void service::look_after_zygotes() {
    for (std::vector<nursery::event> events = nursery_.advance(); !events.empty(); events = nursery_.advance())
        for (const nursery::event& each : events) std::visit([this](const auto& what) { handle(what); }, each);
}

void service::handle(const nursery::forked& what) {
    auto found = boxes_.find(what.id);
    if (found == boxes_.end()) return;
    found->second.forked = what.pid;
    // Its parent may have reaped it by now, and will have told so.
    found->second.process.reset(static_cast<int>(syscall(SYS_pidfd_open, what.pid, 0)));
}

void service::handle(const nursery::failed& what) {
    auto found = boxes_.find(what.id);
    if (found == boxes_.end()) return;
    update(what.id, found->second);
    if (found->second.answered) return;  // born, and running, before its zygote could tell
    if (!what.again) return fail(found->second, what.error);
    if (found->second.again) return fail(found->second, what.error + " (after a first one had failed as well)");
    launch_again(found->second);
}

void service::handle(const nursery::ended& what) {
    for (auto& [id, each] : boxes_) {
        if (!each.request.zygote) continue;
        if (each.forked == 0) update(id, each);  // the kernel may have told its pid itself
        if (each.forked != what.pid && each.inside.kernel_pid() != what.pid) continue;
        each.told = true;
        each.inside.kernel_ended(what.status);
    }
}

// A kernel that has ended stays until its parent has told its status; a zygote that does not is as good as hanging.
void service::check_untold(living& each) {
    if (each.told || !each.process || !is_readable(each.process.get())) return;
    const auto now = zygote::clock::now();
    if (!each.untold_since) each.untold_since = now;
    if (now < *each.untold_since + std::chrono::milliseconds(each.request.zygote->fork_limit_ms)) return;
    each.process.reset();
    nursery_.replace(*each.request.zygote);
}

// In a new box: in the old one a kernel may be half born.
void service::launch_again(living& each) {
    try {
        output_file output(each.request.output_file);
        const launch_request what = each.request;  // the child forgets that of every box
        box fresh = make_box(what, output, each.group);
        each.output = std::move(output);
        std::swap(each.inside, fresh);
        fresh.kill();
        dying_.push_back(std::move(fresh));
        each.forked = 0;
        each.process.reset();
        each.again = true;
        each.silent = false;
    } catch (const box_error& error) {
        fail(each, error.what());
    }
}

void service::fail(living& each, const std::string& error) {
    each.failure = error;
    each.inside.kill();
}

// Programs beside kernels are children of this process, kernels whose zygote has gone too, and what a zygote left
// besides. What has a descriptor that tells its end is left to that.
void service::reap_children() {
    for (;;) {
        siginfo_t info{};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
        if (is_watched(info.si_pid)) return;
        auto run = find_run(info.si_pid);
        if (run != runs_.end()) before_reaping(run->second);
        int status = 0;
        waitpid(info.si_pid, &status, 0);
        if (run != runs_.end())
            end_run(run, status);
        else
            handle(nursery::ended{info.si_pid, status});
    }
}

bool service::is_watched(int pid) const {
    auto is_init = [&](const box& each) { return each.init_pid() == pid; };
    return nursery_.has_process(pid) || std::ranges::any_of(dying_, is_init) ||
           std::ranges::any_of(boxes_, [&](const auto& each) { return is_init(each.second.inside); });
}

}  // namespace kernel
