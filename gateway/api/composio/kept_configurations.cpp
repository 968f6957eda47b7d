// The configurations of sessions in DATA_DIR/cellgate.db.
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/version_table.hpp"
#include "gateway/base/log.hpp"
#include "gateway/storage/database.hpp"
#include "gateway/storage/statement.hpp"

namespace gateway::api::composio {
namespace {

using nlohmann::json;
using storage::execute;
using storage::statement;

std::int64_t micros(wall_clock::time_point when) {
    return std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
}

// One that an older program took and this one does not: rather than no session, one that lets nothing in that it may
// have kept out.
const json closed = {{"toolkits", json::array()}, {"workbench", {{"enable_proxy_execution", false}}}};

// What an older program took unread, and which has no effect.
void forget_unread(json& document) {
    for (const char* name : {"multi_account", "premium_usage", "experimental"}) document.erase(name);
    if (auto found = document.find("manage_connections"); found != document.end() && found->is_object())
        for (const char* name : {"callback_url", "enable_connection_removal"}) found->erase(name);
}

result<configuration> read_kept(json document) {
    if (!document.is_object()) return failure{errc::invalid_request, "it is no JSON object"};
    if (auto read = read_configuration(document)) return read;
    forget_unread(document);
    return read_configuration(document);
}

configuration_version read_version(const statement& row) {
    configuration_version made;
    made.number = static_cast<std::uint64_t>(row.integer(1));
    made.made_at = wall_clock::time_point(std::chrono::microseconds(row.integer(2)));
    auto read = read_kept(json::parse(row.text(3), nullptr, false));
    if (!read)
        log::warning("the configuration of {} is not used, and it has no toolkits: {}", row.text(0),
                     read.error().message);
    made.what = read ? std::move(*read) : read_configuration(closed).value();
    return made;
}

class kept_store final : public version_table {
  public:
    kept_store(storage::database database, std::size_t most_versions)
        : version_table(most_versions), database_(std::move(database)) {}

    result<void> load() {
        auto cleared =
            execute(database_.get(), "DELETE FROM configurations WHERE session_id NOT IN (SELECT id FROM sessions)");
        if (!cleared) return cleared;
        statement rows(database_.get(),
                       "SELECT session_id, number, made_at, document FROM configurations ORDER BY session_id, number");
        for (;;) {
            auto row = rows.step();
            if (!row) return row.error();
            if (!*row) return {};
            keep(rows.text(0), read_version(rows));
        }
    }

    result<shared_version> add(const std::string& session_id, configuration what) override {
        auto made = next(session_id, std::move(what));
        if (auto written = write(session_id, made); !written) return written.error();
        return keep(session_id, std::move(made));
    }

    void remove(const std::string& session_id) override {
        if (!current(session_id)) return;
        version_table::remove(session_id);
        auto gone = execute(database_.get(), "DELETE FROM configurations WHERE session_id = ?", {session_id});
        if (!gone) log::warning("the configurations of {} go at the next start: {}", session_id, gone.error().message);
    }

  private:
    result<void> write(const std::string& session_id, const configuration_version& what) {
        auto all = storage::transaction::begin(database_.get());
        if (!all) return all.error();
        const auto number = static_cast<std::int64_t>(what.number);
        auto done = execute(database_.get(), "INSERT INTO configurations VALUES (?, ?, ?, ?)",
                            {session_id, number, micros(what.made_at), what.what.document});
        if (!done) return done;
        done = execute(database_.get(), "DELETE FROM configurations WHERE session_id = ? AND number <= ?",
                       {session_id, number - static_cast<std::int64_t>(most_versions())});
        if (!done) return done;
        return all->commit();
    }

    storage::database database_;
};

}  // namespace

result<std::unique_ptr<configuration_store>> open_configuration_store(const std::string& data_dir,
                                                                      std::size_t most_versions) {
    auto opened = storage::database::open(data_dir);
    if (!opened) return opened.error();
    // Its commits are on the io thread: they wait for no disk, and leave checkpoints to the pool's connection.
    for (const auto* each : {"PRAGMA synchronous = NORMAL", "PRAGMA wal_autocheckpoint = 0"})
        if (auto set = execute(opened->get(), each); !set) return set.error();
    auto made = std::make_unique<kept_store>(std::move(*opened), most_versions);
    if (auto loaded = made->load(); !loaded) return loaded.error();
    return std::unique_ptr<configuration_store>(std::move(made));
}

}  // namespace gateway::api::composio
