#include "gateway/storage/schema.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "gateway/storage/database.hpp"
#include "gateway/storage/statement.hpp"

namespace gateway::storage {
namespace {

// A version is what PRAGMA user_version counts; it never changes once it was released. Each is one statement, or more,
// that brings the database from the version before it to its own: a new table is a new version at the end.
constexpr std::array versions{
    // 1. API keys. Databases from before versions were counted have the table.
    "CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, "
    "user_id TEXT NOT NULL, scope TEXT NOT NULL, created_at TEXT NOT NULL, revoked_at TEXT)",
    // 2. Connected accounts; `secret` is sealed, and bound to the columns that say where it goes.
    "CREATE TABLE accounts (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, toolkit TEXT NOT NULL, alias TEXT NOT NULL, "
    "base_url TEXT NOT NULL, hosts TEXT NOT NULL, scheme TEXT NOT NULL, place TEXT NOT NULL, parameter TEXT NOT NULL, "
    "prefix TEXT NOT NULL, username TEXT NOT NULL, status TEXT NOT NULL, created_at TEXT NOT NULL, secret TEXT NOT "
    "NULL)",
    // 3. Sessions and their cells, as they outlive the gateway. Times are microseconds since 1970.
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, kernel_name TEXT NOT NULL, "
    "directory TEXT NOT NULL, settings TEXT NOT NULL, env BLOB NOT NULL, created_at INTEGER NOT NULL, "
    "last_activity INTEGER NOT NULL, seq_limit INTEGER NOT NULL, restarts INTEGER NOT NULL, usage TEXT NOT NULL);"
    "CREATE TABLE cells (session_id TEXT NOT NULL, id TEXT NOT NULL, seq_first INTEGER NOT NULL, "
    "ended INTEGER NOT NULL, hidden INTEGER NOT NULL, store_history INTEGER NOT NULL, displays INTEGER NOT NULL, "
    "idempotency_key TEXT NOT NULL, queued_at INTEGER NOT NULL, ended_at INTEGER NOT NULL, summary TEXT NOT NULL, "
    "code TEXT NOT NULL, stdout TEXT NOT NULL, stderr TEXT NOT NULL, result TEXT NOT NULL, metadata TEXT NOT NULL, "
    "bytes INTEGER NOT NULL, PRIMARY KEY (session_id, id));"
    "CREATE INDEX cells_in_order ON cells (session_id, seq_first);"
    "CREATE INDEX cells_under_way ON cells (session_id) WHERE ended = 0",
    // 4. What tool-router clients asked of their sessions, every version of it.
    "CREATE TABLE configurations (session_id TEXT NOT NULL, number INTEGER NOT NULL, made_at INTEGER NOT NULL, "
    "document TEXT NOT NULL, PRIMARY KEY (session_id, number))",
};

result<std::int64_t> version_of(sqlite3* database) {
    statement read(database, "PRAGMA user_version");
    auto row = read.step();
    if (!row) return row.error();
    return read.integer(0);
}

result<void> run_all(sqlite3* database, const char* sql) {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return database_failure(database);
}

failure too_new(sqlite3* database, std::int64_t version) {
    return {errc::io_error,
            fmt::format("{} was changed by a newer Cellgate (it has version {}, this program knows {}): run "
                        "that one, or set storage.data_dir to another directory",
                        sqlite3_db_filename(database, "main"), version, newest_version())};
}

}  // namespace

int newest_version() { return static_cast<int>(versions.size()); }

result<void> bring_to_newest(sqlite3* database) {
    auto now = version_of(database);
    if (!now) return now.error();
    if (*now > newest_version()) return too_new(database, *now);
    if (*now == newest_version()) return {};
    auto all = transaction::begin(database);
    if (!all) return all.error();
    now = version_of(database);  // another process may have been faster
    if (!now) return now.error();
    for (auto at = *now; at < newest_version(); ++at)
        if (auto done = run_all(database, versions[static_cast<std::size_t>(at)]); !done) return done;
    if (*now < newest_version())
        if (auto set = run_all(database, fmt::format("PRAGMA user_version = {}", newest_version()).c_str()); !set)
            return set;
    return all->commit();
}

}  // namespace gateway::storage
