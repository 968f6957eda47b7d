// The sessions that an earlier gateway left: there again, or ended if their time is over.
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/sessions/live_registry.hpp"

namespace gateway::sessions {
namespace {

// What idle times and counts may be behind after a gateway that was killed.
constexpr milliseconds keep_interval{5'000};

bool passed(milliseconds limit, wall_clock::time_point since) {
    return limit > milliseconds(0) && wall_clock::now() - since > limit;
}

}  // namespace

// No seq is given out before its block is written down, and no directory goes before its session has.
result<void> live_registry::revive_sessions() {
    auto opened = open_session_store(parts_.data_dir, {parts_.kept_cells_bytes, parts_.limits.idempotency});
    if (!opened) return opened.error();
    store_ = std::move(*opened);
    keeper_ = std::make_unique<session_keeper>(parts_.ex, parts_.pool, *store_);
    auto earlier = store_->load();
    if (!earlier) return earlier.error();
    std::vector<session_changes> changes;
    std::set<std::string> kept, ended;
    for (auto& each : *earlier) {
        session_changes made{each.what.id, has_expired(each.what), each.what, {}};
        made.now->seq_limit += seq_block;
        (made.removed ? ended : kept).insert(each.what.directory);
        if (made.removed) log::info("session {} ended while there was no gateway: its time is over", each.what.id);
        changes.push_back(std::move(made));
    }
    if (!changes.empty())
        if (auto written = store_->write(changes); !written) return written;
    if (auto cleared = clear_leftovers(kept, ended); !cleared) return cleared;
    for (auto& each : *earlier)
        if (kept.contains(each.what.directory)) revive(std::move(each));
    return {};
}

result<void> live_registry::clear_leftovers(const std::set<std::string>& kept, const std::set<std::string>& ended) {
    if (parts_.keep_files) return {};
    auto left_alone = directories_->remove_leftovers(kept, ended);
    if (!left_alone) return failure{errc::io_error, left_alone.error().text};
    if (!left_alone->empty())
        log::warning(
            "{} sessions' files are in the data directory of which the database knows nothing, such as "
            "sessions/{}: they are left alone; bring the database back, or remove them",
            left_alone->size(), left_alone->front());
    return {};
}

bool live_registry::has_expired(const kept_session& which) const {
    return passed(which.options.lifetime.value_or(parts_.bounds.lifetime), which.created_at) ||
           passed(which.options.idle_timeout.value_or(parts_.bounds.idle_timeout), which.last_activity);
}

// One whose kernelspec or directory is no longer there is there all the same, and says why it does not start.
void live_registry::revive(loaded_session earlier) {
    const auto id = earlier.what.id;
    auto made = parts_for(id, earlier.what.options);
    made.directory = earlier.what.directory;
    if (!directories_->are_there(made.directory))
        log::error("session {}: its files are gone, it goes on without them", id);
    auto paths = directories_->reopen(made.directory);
    if (!paths) {
        log::error("session {} cannot go on, and is tried again at the next start: {}", id, paths.error().text);
        return;
    }
    if (auto claimed = directories_->claim(made.directory); !claimed) log::error("{}", claimed.error().text);
    auto spec = parts_.specs.find(made.options.kernel_name);
    if (spec) made.kernel.spec = std::move(*spec);
    made.kernel.spec.name = made.options.kernel_name;
    made.kernel.id = make_uuid();
    furnish(made.kernel, *paths, made.options.settings);
    made.kernel.own_network = parts_.network.has_own(made.options.made_by);
    made.kernel.env = made.options.env;
    place_files(made, *paths);
    if (auto limited = limit_files(made); !limited) log::error("session {}: {}", id, limited.error().message);
    made.earlier = std::move(earlier);
    auto revived = std::make_shared<live_session>(std::move(made));
    sessions_.emplace(id, revived);
    revived->revive();
}

awaitable<void> live_registry::keep_forever() {
    for (;;) {
        const bool slept = co_await sleep_for(keep_interval);
        if (!slept) co_return;
        for (const auto& [id, each] : sessions_) each->keep_when_changed();
    }
}

}  // namespace gateway::sessions
