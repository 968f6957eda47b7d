#include "kernel/launcher/nursery.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/descriptor_state.hpp"

namespace kernel {
namespace {

std::string name_of(const zygote_command& what) { return "the zygote " + what.argv.front() + " "; }

std::string seconds(int milliseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", milliseconds / 1000.0);
    return text;
}

}  // namespace

nursery::nest& nursery::nest_of(const zygote_command& what) {
    auto found = std::ranges::find(nests_, what, &nest::command);
    return found != nests_.end() ? *found : nests_.emplace_back(nest{what, std::nullopt, {}, false, false, {}});
}

void nursery::prepare(const zygote_command& what) {
    nest& where = nest_of(what);
    if (!where.inside) start(where);
}

void nursery::add(const zygote_command& what, fork_job job) { nest_of(what).waiting.push_back(std::move(job)); }

void nursery::forget(const std::string& id) {
    for (nest& each : nests_) std::erase_if(each.waiting, [&](const fork_job& job) { return job.request.id == id; });
}

void nursery::forget_all() {
    for (nest& each : nests_) each.waiting.clear();
}

void nursery::replace(const zygote_command& what) {
    nest& where = nest_of(what);
    if (!where.inside) return;
    fail_current(where, name_of(what) + "did not tell how a kernel ended");
    retire(where);
    start(where);
}

void nursery::wait_for(std::vector<pollfd>& waited) const {
    auto add_one = [&](const zygote& each) {
        waited.push_back({each.replies(), POLLIN, 0});
        waited.push_back({each.end(), POLLIN, 0});
    };
    for (const nest& each : nests_)
        if (each.inside) add_one(*each.inside);
    // Its socket is closed at the other end, which would be ready for ever.
    for (const zygote& each : leaving_) waited.push_back({each.end(), POLLIN, 0});
}

std::optional<zygote::clock::time_point> nursery::deadline() const {
    std::optional<zygote::clock::time_point> first;
    for (const nest& each : nests_) {
        std::optional<zygote::clock::time_point> one = each.inside ? each.inside->deadline() : std::nullopt;
        if (one && (!first || *one < *first)) first = one;
    }
    return first;
}

std::vector<nursery::event> nursery::advance() {
    receive_leaving();
    for (nest& each : nests_) {
        receive(each);
        check_end(each);
        check_deadline(each);
        go_on(each);
    }
    return std::exchange(events_, {});
}

void nursery::receive(nest& where) {
    while (std::optional<zygote_reply> what = where.inside ? where.inside->receive() : std::nullopt)
        handle(where, *what);
}

void nursery::receive_leaving() {
    for (auto each = leaving_.begin(); each != leaving_.end();) {
        const bool last = is_readable(each->end());
        while (std::optional<zygote_reply> what = each->receive())
            if (const auto* end = std::get_if<child_end>(&*what)) events_.push_back(ended{end->pid, end->status});
        if (last) each->obituary();
        each = last ? leaving_.erase(each) : std::next(each);
    }
}

void nursery::handle(nest& where, const zygote_reply& what) {
    if (std::holds_alternative<zygote_ready>(what)) pass_on(where);
    if (const auto* done = std::get_if<fork_done>(&what)) {
        where.served = true;
        where.begun_again = false;
        events_.push_back(forked{done->id, done->pid});
    }
    if (const auto* end = std::get_if<child_end>(&what)) events_.push_back(ended{end->pid, end->status});
    if (const auto* refusal = std::get_if<fork_refusal>(&what)) refused(where, *refusal);
}

// What it could not import, for one; the same again from its replacement is not news.
void nursery::pass_on(nest& where) {
    std::string words = where.inside->words();
    if (words.empty() || words == std::exchange(where.passed_on, words)) return;
    std::fprintf(stderr, "cellgate-launcher: warning: %sis ready, and printed:\n%s\n", name_of(where.command).c_str(),
                 words.c_str());
}

void nursery::refused(nest& where, const fork_refusal& what) {
    events_.push_back(failed{what.id, name_of(where.command) + "refused to fork: " + what.error, what.spent});
    if (!what.spent) return;
    retire(where);
    start(where);
}

// A zygote that ended by itself before it was ready would end again; one that served is replaced before somebody waits
// for it.
void nursery::check_end(nest& where) {
    if (!where.inside || !is_readable(where.inside->end())) return;
    receive(where);  // what it said before
    if (!where.inside) return;
    const bool started = where.inside->started();
    const std::string error = name_of(where.command) + where.inside->obituary();
    const bool killed = where.inside->was_killed();
    fail_current(where, error);
    where.inside.reset();
    if (!started) return killed ? begin_again(where, error) : give_up(where, error);
    std::fprintf(stderr, "cellgate-launcher: %s\n", error.c_str());
    if (std::exchange(where.served, false)) start(where);
}

void nursery::check_deadline(nest& where) {
    if (!where.inside) return;
    std::optional<zygote::clock::time_point> deadline = where.inside->deadline();
    if (!deadline || zygote::clock::now() < *deadline) return;
    const std::string words = where.inside->last_words();
    if (!where.inside->started()) {
        retire(where);
        return begin_again(where, name_of(where.command) + "was not ready within " +
                                      seconds(where.command.start_limit_ms) + " (start_limit_ms)" + words);
    }
    fail_current(where, name_of(where.command) + "did not fork within " + seconds(where.command.fork_limit_ms) +
                            " (fork_limit_ms)" + words);
    retire(where);
    start(where);
}

void nursery::go_on(nest& where) {
    if (where.waiting.empty()) return;
    if (!where.inside) start(where);
    if (!where.inside || !where.inside->idle()) return;
    fork_job job = std::move(where.waiting.front());
    where.waiting.pop_front();
    // One that cannot be told has just ended: check_end() comes to it.
    where.inside->fork(job);
}

void nursery::start(nest& where) {
    try {
        where.inside.emplace(where.command, how_);
    } catch (const box_error& error) {
        give_up(where, name_of(where.command) + "could not be started: " + error.what());
    }
}

// Whoever waits for a zygote that was killed, or hung, gets a second one; not a third.
void nursery::begin_again(nest& where, const std::string& error) {
    if (std::exchange(where.begun_again, !where.begun_again)) return give_up(where, error);
    std::fprintf(stderr, "cellgate-launcher: %s\n", error.c_str());
    start(where);
}

void nursery::give_up(nest& where, const std::string& error) {
    std::fprintf(stderr, "cellgate-launcher: %s\n", error.c_str());
    for (fork_job& each : std::exchange(where.waiting, {})) events_.push_back(failed{each.request.id, error, false});
}

void nursery::fail_current(nest& where, const std::string& error) {
    if (!where.inside->forking().empty()) events_.push_back(failed{where.inside->forking(), error, true});
}

void nursery::retire(nest& where) {
    where.inside->kill();
    leaving_.push_back(std::move(*where.inside));
    where.inside.reset();
    where.served = false;
}

bool nursery::has_process(int pid) const {
    return std::ranges::any_of(leaving_, [&](const zygote& each) { return each.pid() == pid; }) ||
           std::ranges::any_of(nests_, [&](const nest& each) { return each.inside && each.inside->pid() == pid; });
}

void nursery::trim_outputs() {
    for (nest& each : nests_)
        if (each.inside) each.inside->trim_output();
}

void nursery::kill_all() {
    nests_.clear();
    leaving_.clear();
}

}  // namespace kernel
