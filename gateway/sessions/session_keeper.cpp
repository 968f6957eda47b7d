#include "gateway/sessions/session_keeper.hpp"

#include <algorithm>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"

namespace gateway::sessions {
namespace {

// A short cell begins and ends within it, and is one row then.
constexpr milliseconds gathering_time{10};
constexpr milliseconds retry_time{1'000};
// Waiting for a disk that refuses or is stuck: beyond it, cells wait without their texts.
constexpr std::size_t most_waiting_bytes = 16u << 20;
// And beyond it not at all, the oldest first.
constexpr std::size_t most_waiting_cells = 10'000;  // of one session

std::map<std::string, kept_cell>::iterator oldest_of(std::map<std::string, kept_cell>& cells) {
    return std::min_element(cells.begin(), cells.end(), [](const auto& left, const auto& right) {
        return left.second.seq_first < right.second.seq_first;
    });
}

}  // namespace

session_keeper::session_keeper(executor ex, asio::thread_pool& pool, session_store& store)
    : pool_(pool), store_(store), hurried_(ex), told_(ex), tasks_(ex) {}

session_keeper::~session_keeper() = default;

session_changes& session_keeper::changes_of(const std::string& session_id) {
    auto& found = pending_[session_id].what;
    found.id = session_id;
    return found;
}

void session_keeper::put(kept_session now) {
    auto& into = changes_of(now.id);
    if (into.removed) return;
    into.now = std::move(now);
    begin();
}

void session_keeper::put(const std::string& session_id, kept_cell what) {
    auto& into = changes_of(session_id);
    if (into.removed) return;
    auto [place, is_new] = into.cells.try_emplace(what.id);
    if (!is_new) bytes_ -= place->second.bytes();
    bytes_ += what.bytes();
    place->second = std::move(what);
    if (bytes_ > most_waiting_bytes || into.cells.size() > most_waiting_cells) make_room();
    begin();
}

void session_keeper::remove(const std::string& session_id) {
    auto& into = changes_of(session_id);
    for (const auto& [id, each] : into.cells) bytes_ -= each.bytes();
    into.cells.clear();
    into.now.reset();
    into.removed = true;
    begin();
}

void session_keeper::make_room() {
    bytes_ = 0;
    for (auto& [session, each] : pending_) {
        auto& cells = each.what.cells;
        while (cells.size() > most_waiting_cells) cells.erase(oldest_of(cells));
        for (auto& [id, cell] : cells) {
            leave_out_texts(cell);
            bytes_ += cell.bytes();
        }
    }
}

void session_keeper::begin() {
    if (std::exchange(running_, true)) return;
    tasks_.spawn("writing sessions down", write_pending());
}

void session_keeper::hurry() {
    urgent_ = true;
    hurried_.notify_all();
}

awaitable<result<void>> session_keeper::written(std::string session_id) {
    auto mine = std::make_shared<outcome>();
    changes_of(session_id);
    pending_[session_id].waiting.push_back(mine);
    begin();
    hurry();
    while (!mine->is_there) co_await told_.wait();
    co_return mine->what;
}

awaitable<void> session_keeper::write_pending() {
    while (!pending_.empty()) {
        const auto patience = failing_ ? retry_time : gathering_time;
        if (!urgent_) co_await hurried_.wait_for(patience);
        urgent_ = false;
        auto what = std::make_shared<std::vector<session_changes>>();
        std::vector<asking> waiting;
        for (auto& [id, each] : std::exchange(pending_, {})) {
            what->push_back(std::move(each.what));
            waiting.push_back(std::move(each.waiting));
        }
        bytes_ = 0;
        co_await write(std::move(what), std::move(waiting));
        if (stopping_ && failing_) break;
    }
    running_ = false;
    told_.notify_all();
}

// As one commit; when that is refused, session by session, so that none is held up by another.
awaitable<void> session_keeper::write(batch what, std::vector<asking> waiting) {
    auto done = co_await write_to_store(what);
    if (done) {
        if (std::exchange(failing_, false)) log::info("sessions are written to the database again");
        for (const auto& each : waiting) tell(each, done);
        co_return;
    }
    for (std::size_t at = 0; at < what->size(); ++at) {
        auto one = std::make_shared<std::vector<session_changes>>();
        one->push_back(std::move(what->at(at)));
        auto alone = done;
        if (what->size() > 1) alone = co_await write_to_store(one);
        tell(waiting[at], alone);
        if (!alone) take_back(std::move(one->front()), alone.error());
    }
}

awaitable<result<void>> session_keeper::write_to_store(batch what) {
    auto work = [store = &store_, what] { return store->write(*what); };
    co_return co_await run_on(pool_, std::move(work));
}

void session_keeper::tell(const asking& whom, const result<void>& what) {
    for (const auto& each : whom) {
        each->what = what;
        each->is_there = true;
    }
    if (!whom.empty()) told_.notify_all();
}

// What came meanwhile is newer.
void session_keeper::take_back(session_changes refused, const failure& why) {
    if (!std::exchange(failing_, true))
        log::error("what sessions are now is not written, and tried again each second: {}", why.message);
    auto& into = changes_of(refused.id);
    if (into.removed) return;
    if (refused.removed) return remove(refused.id);
    if (!into.now) into.now = std::move(refused.now);
    for (auto& [id, each] : refused.cells) {
        const auto size = each.bytes();
        if (into.cells.try_emplace(id, std::move(each)).second) bytes_ += size;
    }
    if (bytes_ > most_waiting_bytes || into.cells.size() > most_waiting_cells) make_room();
}

std::vector<kept_cell> session_keeper::read_cells(const std::string& session_id) {
    auto read = store_.cells(session_id);
    if (read) return std::move(*read);
    log::error("session {}: the cells of before the gateway's start are missing: {}", session_id, read.error().message);
    return {};
}

awaitable<void> session_keeper::stop() {
    stopping_ = true;
    if (!pending_.empty()) begin();
    hurry();
    while (running_) co_await told_.wait();
    if (!pending_.empty())
        log::error("{} sessions could not be written to the database as they are now", pending_.size());
    co_await tasks_.join();
}

}  // namespace gateway::sessions
