#include "gateway/sessions/execution_fsm.hpp"

#include <algorithm>
#include <utility>

namespace gateway::sessions {
namespace {

// A reply without its idle is a lost idle (a kernel with a high-water mark), an idle without its reply an interrupt
// that hit the kernel between the cell and its reply: after this long the cell ends all the same.
constexpr milliseconds other_half_patience{10'000};
constexpr milliseconds interrupted_reply_patience{2'000};
// An agent's cell that a foreign failure aborted is sent again, but not for ever.
constexpr int aborted_limit = 20;

milliseconds elapsed(tick from, tick to) { return std::chrono::duration_cast<milliseconds>(to - from); }

}  // namespace

execution_fsm::sent* execution_fsm::find(const std::string& msg_id) {
    auto found = std::find_if(outstanding_.begin(), outstanding_.end(),
                              [&](const sent& each) { return each.what.msg_id == msg_id; });
    return found == outstanding_.end() ? nullptr : &*found;
}

const execution_fsm::sent* execution_fsm::find(const std::string& msg_id) const {
    return const_cast<execution_fsm*>(this)->find(msg_id);
}

execution_actions execution_fsm::submit(execution what) {
    execution_actions out;
    sent added;
    added.what = std::move(what);
    queue_.push_back(std::move(added));
    pump(out);
    return out;
}

execution_actions execution_fsm::release(const std::string& msg_id) {
    execution_actions out;
    for (auto& each : queue_)
        if (each.what.msg_id == msg_id) each.what.held = false;
    pump(out);
    return out;
}

execution_actions execution_fsm::forward(execution what) {
    sent added;
    added.what = std::move(what);
    outstanding_.push_back(std::move(added));
    return {};
}

execution_actions execution_fsm::cancel(const std::string& msg_id) {
    execution_actions out;
    auto waiting =
        std::find_if(queue_.begin(), queue_.end(), [&](const sent& each) { return each.what.msg_id == msg_id; });
    if (waiting != queue_.end()) {
        queue_.erase(waiting);
        out.push_back(action::ended{msg_id, cell_status::cancelled, cell_reason::aborted, false});
        return out;
    }
    auto* found = find(msg_id);
    if (!found || found->has_reply) return out;
    if (!found->is_busy) {
        found->cancel_when_busy = true;
        return out;
    }
    if (found->interrupt == interrupted_by::nobody) found->interrupt = interrupted_by::caller;
    out.push_back(action::interrupt{});
    return out;
}

execution_actions execution_fsm::interrupt() {
    for (auto& each : outstanding_)
        if (each.is_busy && !each.has_reply && each.interrupt == interrupted_by::nobody)
            each.interrupt = interrupted_by::caller;
    return {action::interrupt{}};
}

void execution_fsm::was_sent(const std::string& msg_id, tick now) {
    auto* found = find(msg_id);
    if (!found || found->is_busy) return;
    found->clock_runs = true;
    if (!stopped_ && others_.empty()) found->running_since = now;
}

execution_actions execution_fsm::busy(const std::string& parent, tick now) {
    execution_actions out;
    if (!find(parent)) {
        others_.insert(parent);
        hold_clocks();
        return out;
    }
    others_.clear();
    finish_all_before(parent, out);
    auto* found = find(parent);
    found->is_busy = true;
    found->clock_runs = true;
    found->ran = milliseconds(0);
    if (!stopped_) found->running_since = now;
    if (found->what.silent) begin(*found, out);
    if (std::exchange(found->cancel_when_busy, false)) {
        found->interrupt = interrupted_by::caller;
        out.push_back(action::interrupt{});
    }
    return out;
}

// Of cells that are with the kernel while it does something else first.
void execution_fsm::hold_clocks() {
    for (auto& each : outstanding_)
        if (!each.is_busy) each.running_since.reset();
}

void execution_fsm::start_clocks(tick now) {
    if (stopped_ || !others_.empty()) return;
    for (auto& each : outstanding_)
        if (each.clock_runs && !each.running_since && !each.has_reply && !each.is_idle) each.running_since = now;
}

execution_actions execution_fsm::input_echoed(const std::string& parent) {
    execution_actions out;
    if (auto* found = find(parent)) begin(*found, out);
    return out;
}

void execution_fsm::begin(sent& which, execution_actions& out) {
    if (std::exchange(which.has_begun, true)) return;
    out.push_back(action::began{which.what.msg_id});
}

execution_actions execution_fsm::replied(const std::string& parent, const std::string& status, const std::string& ename,
                                         tick now) {
    execution_actions out;
    auto* found = find(parent);
    if (!found) return out;
    found->has_reply = true;
    found->status = status;
    found->ename = ename;
    found->give_up_at = now + other_half_patience;
    if (found->is_idle) finish(parent, out);
    return out;
}

execution_actions execution_fsm::idle(const std::string& parent, tick now) {
    execution_actions out;
    auto* found = find(parent);
    if (!found) {
        if (others_.erase(parent) > 0) start_clocks(now);
        return out;
    }
    found->is_idle = true;
    const bool interrupted = found->interrupt != interrupted_by::nobody;
    found->give_up_at = now + (interrupted ? interrupted_reply_patience : other_half_patience);
    if (found->has_reply) finish(parent, out);
    return out;
}

void execution_fsm::debugger_stopped(tick now) {
    if (std::exchange(stopped_, true)) return;
    for (auto& each : outstanding_)
        if (each.running_since) each.ran += elapsed(*std::exchange(each.running_since, std::nullopt), now);
}

void execution_fsm::debugger_continued(tick now) {
    if (std::exchange(stopped_, false)) start_clocks(now);
}

execution_actions execution_fsm::kernel_ready() {
    execution_actions out;
    others_.clear();
    ready_ = true;
    stopped_ = false;
    pump(out);
    return out;
}

execution_actions execution_fsm::kernel_ended(cell_reason why, bool restarts) {
    execution_actions out;
    ready_ = false;
    stopped_ = false;
    const bool does_other_work = !std::exchange(others_, {}).empty();
    const auto queued_reason = restarts ? cell_reason::restarted : why;
    bool is_next = true;  // the kernel may have been at it, although it did not say so
    for (auto& each : std::exchange(outstanding_, {})) {
        const auto& msg_id = each.what.msg_id;
        if (each.has_reply) {
            outstanding_.push_back(each);  // its reply came, only the idle is missing: it ended by itself
            finish(msg_id, out);
            continue;
        }
        const bool may_have_run = each.has_begun || each.is_busy || (is_next && !does_other_work);
        is_next = false;
        if (each.kill_asked || each.interrupt == interrupted_by::deadline)
            out.push_back(action::ended{msg_id, cell_status::timeout, cell_reason::deadline, restarts});
        else if (may_have_run)
            out.push_back(action::ended{msg_id, cell_status::lost, why, restarts});
        else
            out.push_back(action::ended{msg_id, cell_status::cancelled, queued_reason, restarts});
    }
    for (auto& each : std::exchange(queue_, {}))
        out.push_back(action::ended{each.what.msg_id, cell_status::cancelled, queued_reason, restarts});
    return out;
}

void execution_fsm::finish_all_before(const std::string& msg_id, execution_actions& out) {
    while (!outstanding_.empty() && outstanding_.front().what.msg_id != msg_id && outstanding_.front().has_reply)
        finish(std::string(outstanding_.front().what.msg_id), out);
}

void execution_fsm::finish(const std::string& msg_id, execution_actions& out) {
    auto place = std::find_if(outstanding_.begin(), outstanding_.end(),
                              [&](const sent& each) { return each.what.msg_id == msg_id; });
    sent done = std::move(*place);
    outstanding_.erase(place);
    if (done.status == "aborted" && done.what.sent_by == origin::agent && done.interrupt == interrupted_by::nobody &&
        !done.cancel_when_busy && done.aborted_times < aborted_limit) {
        sent again;
        again.what = std::move(done.what);
        again.aborted_times = done.aborted_times + 1;
        queue_.push_front(std::move(again));
    } else if (done.status == "aborted") {
        out.push_back(action::ended{msg_id, cell_status::cancelled, cell_reason::aborted, false});
    } else if (done.interrupt == interrupted_by::deadline) {
        out.push_back(action::ended{msg_id, cell_status::timeout, cell_reason::deadline, false});
    } else if (done.status == "ok") {
        out.push_back(action::ended{msg_id, cell_status::ok, cell_reason::none, false});
    } else {
        const auto status = done.ename == "KeyboardInterrupt" || done.interrupt == interrupted_by::caller
                                ? cell_status::interrupted
                                : cell_status::error;
        out.push_back(action::ended{msg_id, status, cell_reason::none, false});
    }
    pump(out);
}

void execution_fsm::pump(execution_actions& out) {
    if (!ready_ || !outstanding_.empty() || queue_.empty() || queue_.front().what.held) return;
    outstanding_.push_back(std::move(queue_.front()));
    queue_.pop_front();
    out.push_back(action::send{outstanding_.back().what.msg_id});
}

std::optional<tick> execution_fsm::deadline_of(const sent& which) const {
    if (!which.what.deadline || !which.running_since || which.has_reply || which.is_idle) return std::nullopt;
    if (which.interrupt == interrupted_by::deadline) return std::nullopt;
    return *which.running_since + (*which.what.deadline - which.ran);
}

std::optional<tick> execution_fsm::next_wakeup() const {
    std::optional<tick> soonest;
    auto consider = [&](std::optional<tick> when) {
        if (when && (!soonest || *when < *soonest)) soonest = when;
    };
    for (const auto& each : outstanding_) {
        consider(deadline_of(each));
        if (!stopped_ && !each.kill_asked && !each.has_reply && !each.is_idle) consider(each.kill_at);
        consider(each.give_up_at);
    }
    return soonest;
}

execution_actions execution_fsm::on_time(tick now) {
    execution_actions out;
    if (!stopped_)
        for (auto& each : outstanding_) check_time(each, now, out);
    std::vector<std::string> given_up;
    for (const auto& each : outstanding_)
        if (each.give_up_at && *each.give_up_at <= now) given_up.push_back(each.what.msg_id);
    for (const auto& msg_id : given_up) finish(msg_id, out);
    return out;
}

void execution_fsm::check_time(sent& which, tick now, execution_actions& out) {
    const auto deadline = deadline_of(which);
    if (deadline && *deadline <= now) {
        which.interrupt = interrupted_by::deadline;
        which.kill_at = now + grace_;
        out.push_back(action::interrupt{});
        return;
    }
    if (which.kill_at && *which.kill_at <= now && !which.has_reply && !which.is_idle && !which.kill_asked) {
        which.kill_asked = true;
        out.push_back(action::kill{});
    }
}

bool execution_fsm::is_running(const std::string& msg_id) const {
    const auto* found = find(msg_id);
    return found && found->has_begun && !found->has_reply;
}

bool execution_fsm::is_waiting(const std::string& msg_id) const {
    const auto* found = find(msg_id);
    if (found) return !found->has_begun && !found->has_reply;
    return std::any_of(queue_.begin(), queue_.end(), [&](const sent& each) { return each.what.msg_id == msg_id; });
}

}  // namespace gateway::sessions
