// The part of the service that has to do with programs which run in a box beside its kernel.
#include <signal.h>

#include <cerrno>

#include "kernel/launcher/service.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/descriptor_state.hpp"
#include "kernel/sandbox/guest.hpp"
#include "kernel/sandbox/report.hpp"

namespace kernel {

void service::handle(const run_request& what, files& standard) {
    try {
        if (standard.size() != 3) throw box_error("a program to run comes with three descriptors");
        check(what);
        if (runs_.contains(what.id)) throw box_error("a program with the id " + what.id + " runs");
        auto host = boxes_.find(what.box);
        if (host == boxes_.end() || !host->second.answered)
            throw box_error("start " + what.argv.front() + ": the session's kernel does not run");
        const standard_files taken = {std::move(standard[0]), std::move(standard[1]), std::move(standard[2])};
        const living& owner = host->second;
        file_descriptor reports = start_guest(what, owner.inside.end(), how_.with_network(owner.request.own_network),
                                              owner.inside.user(), owner.inside.wall(), taken, [this, &owner] {
                                                  owner.group.enter();
                                                  forget_requests();
                                              });
        runs_.emplace(what.id, guest{what.box, std::move(reports)});
    } catch (const box_error& error) {
        answer(run_answer{what.id, 0, error.what(), has_ended(what.box)});
    }
}

// Or is about to.
bool service::has_ended(const std::string& box) {
    auto host = boxes_.find(box);
    return host == boxes_.end() || !host->second.answered || host->second.inside.is_ending();
}

void service::handle(const run_signal& what, files&) {
    auto found = runs_.find(what.id);
    if (found == runs_.end()) return;
    guest& which = found->second;
    which.sweep = which.sweep || what.sweep;
    if (which.pid == 0)
        which.early_signal = what.number;
    else
        kill(-which.pid, what.number);
}

void service::look_after_runs() {
    for (auto each = runs_.begin(); each != runs_.end();) {
        auto current = each++;
        if (current->second.reports) update_run(current);
    }
}

void service::update_run(std::map<std::string, guest>::iterator which) {
    auto& [id, each] = *which;
    const bool last = is_hung_up(each.reports.get());  // asked first: what was sent is there then
    while (std::optional<report> what = receive_report(each.reports.get())) {
        if (what->kind == report_kind::kernel_forked) each.pid = what->sender;
        if (what->kind == report_kind::failed) each.failure = what->text;
    }
    if (each.pid != 0 && each.early_signal != 0) kill(-each.pid, std::exchange(each.early_signal, 0));
    if (!last) return;
    each.reports.reset();
    if (each.pid == 0 && each.failure.empty()) each.failure = "the program's process ended before it ran";
    const std::string failure = each.failure;
    answer(run_answer{id, failure.empty() ? each.pid : 0, failure, !failure.empty() && has_ended(each.box)});
    if (!failure.empty()) runs_.erase(which);
}

// Of the process `pid`, which has ended and is about to be reaped.
std::map<std::string, service::guest>::iterator service::find_run(int pid) {
    look_after_runs();  // it has told its pid before anything else
    auto found = runs_.begin();
    while (found != runs_.end() && found->second.pid != pid) ++found;
    return found;
}

// The group's number is not another's while its leader is unreaped.
void service::before_reaping(const guest& which) {
    if (which.sweep) kill(-which.pid, SIGKILL);
}

void service::end_run(std::map<std::string, guest>::iterator which, int status) {
    const bool box_ended = has_ended(which->second.box);
    const std::string id = which->first;
    runs_.erase(which);
    answer(run_end{id, status, box_ended});
}

}  // namespace kernel
