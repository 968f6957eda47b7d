// The session store in DATA_DIR/cellgate.db: one connection that writes, and one that reads without waiting for it.
#include <unordered_map>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/sessions/kept_settings.hpp"
#include "gateway/sessions/session_store.hpp"
#include "gateway/storage/database.hpp"
#include "gateway/storage/sealer.hpp"
#include "gateway/storage/statement.hpp"

namespace gateway::sessions {
namespace {

using storage::blob;
using storage::execute;
using storage::parameter;
using storage::statement;

constexpr const char* session_columns =
    "id, user_id, name, kernel_name, directory, settings, env, created_at, last_activity, seq_limit, restarts, usage";
constexpr const char* cell_columns =
    "id, seq_first, ended, hidden, store_history, displays, idempotency_key, queued_at, ended_at, summary, code, "
    "stdout, "
    "stderr, result, metadata";

std::int64_t micros(wall_clock::time_point when) {
    return std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
}

wall_clock::time_point time_from(std::int64_t micros) {
    return wall_clock::time_point(std::chrono::microseconds(micros));
}

parameter number(std::uint64_t value) { return static_cast<std::int64_t>(value); }
parameter flag(bool value) { return std::int64_t(value ? 1 : 0); }

kept_session read_session(const statement& row) {
    kept_session made;
    made.id = row.text(0);
    made.options.user_id = row.text(1);
    made.options.name = row.text(2);
    made.options.kernel_name = row.text(3);
    made.options.made_by = origin::agent;
    made.directory = row.text(4);
    read_settings(row.text(5), made.options);
    made.created_at = time_from(row.integer(7));
    made.last_activity = time_from(row.integer(8));
    made.seq_limit = static_cast<std::uint64_t>(row.integer(9));
    made.restarts = static_cast<int>(row.integer(10));
    read_usage(row.text(11), made);
    return made;
}

std::vector<parameter> bound(const kept_session& from, std::string sealed_env) {
    return {from.id,
            from.options.user_id,
            from.options.name,
            from.options.kernel_name,
            from.directory,
            settings_text(from.options),
            blob{std::move(sealed_env)},
            micros(from.created_at),
            micros(from.last_activity),
            number(from.seq_limit),
            std::int64_t(from.restarts),
            usage_text(from)};
}

kept_cell read_cell(const statement& row) {
    kept_cell made;
    made.id = row.text(0);
    made.seq_first = static_cast<std::uint64_t>(row.integer(1));
    made.ended = row.integer(2) != 0;
    made.hidden = row.integer(3) != 0;
    made.store_history = row.integer(4) != 0;
    made.displays = row.integer(5);
    made.idempotency_key = row.text(6);
    made.queued_at = time_from(row.integer(7));
    made.ended_at = time_from(row.integer(8));
    made.summary = row.text(9);
    made.code = row.text(10);
    made.out = row.text(11);
    made.err = row.text(12);
    made.result = row.text(13);
    made.metadata = row.text(14);
    return made;
}

std::vector<parameter> bound(const std::string& session_id, const kept_cell& from) {
    return {session_id,
            from.id,
            number(from.seq_first),
            flag(from.ended),
            flag(from.hidden),
            flag(from.store_history),
            from.displays,
            from.idempotency_key,
            micros(from.queued_at),
            micros(from.ended_at),
            from.summary,
            from.code,
            from.out,
            from.err,
            from.result,
            from.metadata,
            number(from.bytes())};
}

class sqlite_store final : public session_store {
  public:
    sqlite_store(storage::database writing, storage::database reading, storage::sealer key, store_limits limits)
        : writing_(std::move(writing)), reading_(std::move(reading)), key_(std::move(key)), limits_(limits) {}

    result<std::vector<loaded_session>> load() override {
        std::vector<loaded_session> all;
        const auto sql = std::string("SELECT ") + session_columns + " FROM sessions ORDER BY created_at, id";
        statement rows(reading_.get(), sql.c_str());
        for (;;) {
            auto row = rows.step();
            if (!row) return row.error();
            if (!*row) break;
            all.push_back({read_session(rows), {}});
            open_env(rows.text(6), all.back().what);
        }
        for (auto& each : all) {
            auto open = select_cells(each.what.id, "AND ended = 0");
            if (!open) return open.error();
            each.cut_off = std::move(*open);
        }
        return all;
    }

    result<std::vector<kept_cell>> cells(const std::string& session_id) override {
        return select_cells(session_id, "");
    }

    result<void> write(const std::vector<session_changes>& what) override {
        auto all = storage::transaction::begin(writing_.get());
        if (!all) return all.error();
        auto done = write_all(what);
        if (done) done = all->commit();
        if (!done) cell_bytes_.clear();  // what was written of it is taken back
        return done;
    }

  private:
    // Variables are often secrets, and the database is what is copied and looked at.
    result<std::string> sealed_env(const kept_session& of) const {
        if (of.options.env.empty()) {
            auto found = unopened_.find(of.id);
            return found == unopened_.end() ? std::string() : found->second;
        }
        return key_.seal(variables_text(of.options.env), of.id);
    }
    // What cannot be opened stays as it is, for the day that the key is back.
    void open_env(const std::string& sealed, kept_session& into) {
        if (sealed.empty()) return;
        auto text = key_.open(sealed, into.id);
        if (text) {
            into.options.env = read_variables(*text);
            return;
        }
        unopened_[into.id] = sealed;
        log::error("session {} goes on without its env: {}", into.id, text.error().message);
    }

    result<std::vector<kept_cell>> select_cells(const std::string& session_id, const char* condition) {
        std::vector<kept_cell> all;
        const auto sql = std::string("SELECT ") + cell_columns + " FROM cells WHERE session_id = ? " + condition +
                         " ORDER BY seq_first";
        const std::vector<parameter> which{session_id};
        statement rows(reading_.get(), sql.c_str(), which);
        for (;;) {
            auto row = rows.step();
            if (!row) return row.error();
            if (!*row) return all;
            all.push_back(read_cell(rows));
        }
    }

    result<void> write_all(const std::vector<session_changes>& what) {
        for (const auto& each : what)
            if (auto written = write_one(each); !written) return written;
        return {};
    }

    result<void> write_one(const session_changes& what) {
        if (what.removed) return remove(what.id);
        if (what.now)
            if (auto put = put_session(*what.now); !put) return put;
        for (const auto& [id, each] : what.cells)
            if (auto put = put_cell(what.id, each); !put) return put;
        return what.cells.empty() ? result<void>() : drop_oldest_cells(what.id);
    }

    result<void> put_session(const kept_session& what) {
        auto env = sealed_env(what);
        if (!env) return env.error();
        const auto sql = std::string("INSERT OR REPLACE INTO sessions (") + session_columns +
                         ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        return execute(writing_.get(), sql.c_str(), bound(what, std::move(*env)));
    }

    // Adds to what the session's cells take; one that is there already is counted with what it takes more.
    result<void> put_cell(const std::string& session_id, const kept_cell& what) {
        auto size = bytes_of(session_id);
        if (!size) return size.error();
        const std::vector<parameter> which{session_id, what.id};
        statement before(writing_.get(), "SELECT bytes FROM cells WHERE session_id = ? AND id = ?", which);
        auto row = before.step();
        if (!row) return row.error();
        if (*row) **size -= static_cast<std::uint64_t>(before.integer(0));
        **size += what.bytes();
        const auto sql = std::string("INSERT OR REPLACE INTO cells (session_id, ") + cell_columns +
                         ", bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        return execute(writing_.get(), sql.c_str(), bound(session_id, what));
    }

    // What the session's cells take; kept, so that it is summed up once.
    result<std::uint64_t*> bytes_of(const std::string& session_id) {
        auto [place, is_new] = cell_bytes_.try_emplace(session_id, 0);
        if (!is_new) return &place->second;
        const std::vector<parameter> which{session_id};
        statement sum(writing_.get(), "SELECT COALESCE(SUM(bytes), 0) FROM cells WHERE session_id = ?", which);
        auto row = sum.step();
        if (!row) return row.error();
        place->second = static_cast<std::uint64_t>(sum.integer(0));
        return &place->second;
    }

    // To three quarters, so that it is done rarely. A cell that has not ended stays: its end is to be told. So does one
    // that its idempotency key may still name, without its texts: it must not run again.
    result<void> drop_oldest_cells(const std::string& session_id) {
        auto size = bytes_of(session_id);
        if (!size) return size.error();
        if (**size <= limits_.cell_bytes) return {};
        auto ended = ended_cells(session_id);
        if (!ended) return ended.error();
        for (const auto& [id, bytes, is_named] : *ended) {
            if (**size <= limits_.cell_bytes / 4 * 3) break;
            if (is_named) {
                if (auto done = strip_cell(session_id, id); !done) return done;
                continue;
            }
            auto done = execute(writing_.get(), "DELETE FROM cells WHERE session_id = ? AND id = ?", {session_id, id});
            if (!done) return done;
            **size -= bytes;
        }
        return {};
    }

    struct ended_cell {
        std::string id;
        std::uint64_t bytes;
        bool is_named;  // by a key that is still good
    };
    // The oldest first.
    result<std::vector<ended_cell>> ended_cells(const std::string& session_id) {
        std::vector<ended_cell> all;
        const std::vector<parameter> which{session_id};
        statement rows(writing_.get(),
                       "SELECT id, bytes, idempotency_key, ended_at FROM cells WHERE session_id = ? AND ended = 1 "
                       "ORDER BY seq_first",
                       which);
        const auto since = micros(wall_clock::now() - limits_.idempotency);
        for (;;) {
            auto row = rows.step();
            if (!row) return row.error();
            if (!*row) return all;
            const bool is_named = !rows.text(2).empty() && rows.integer(3) > since;
            all.push_back({rows.text(0), static_cast<std::uint64_t>(rows.integer(1)), is_named});
        }
    }

    result<void> strip_cell(const std::string& session_id, const std::string& id) {
        const auto sql = std::string("SELECT ") + cell_columns + " FROM cells WHERE session_id = ? AND id = ?";
        kept_cell found;
        {
            const std::vector<parameter> which{session_id, id};
            statement row(writing_.get(), sql.c_str(), which);
            auto is_there = row.step();
            if (!is_there) return is_there.error();
            found = read_cell(row);
        }
        leave_out_texts(found);
        return put_cell(session_id, found);
    }

    result<void> remove(const std::string& session_id) {
        cell_bytes_.erase(session_id);
        unopened_.erase(session_id);
        for (const auto* sql : {"DELETE FROM cells WHERE session_id = ?", "DELETE FROM sessions WHERE id = ?"})
            if (auto done = execute(writing_.get(), sql, {session_id}); !done) return done;
        return {};
    }

    storage::database writing_;
    storage::database reading_;
    storage::sealer key_;                                    // of what sessions have in env
    std::unordered_map<std::string, std::string> unopened_;  // what sessions have in env that the key does not open
    store_limits limits_;
    std::unordered_map<std::string, std::uint64_t> cell_bytes_;  // of sessions that were written to
};

}  // namespace

result<std::unique_ptr<session_store>> open_session_store(const std::string& data_dir, store_limits limits) {
    auto writing = storage::database::open(data_dir);
    if (!writing) return writing.error();
    // Synced at its checkpoints: a gateway that is killed loses nothing, and a commit does not wait for the disk.
    if (auto set = execute(writing->get(), "PRAGMA synchronous = NORMAL"); !set) return set.error();
    auto reading = storage::database::open(data_dir);
    if (!reading) return reading.error();
    auto key = storage::sealer::open_or_make({data_dir + "/env.key", "the key of sessions' env",
                                              "remove it, and a new one is made: sessions go on without their env"});
    if (!key) return key.error();
    return std::unique_ptr<session_store>(
        std::make_unique<sqlite_store>(std::move(*writing), std::move(*reading), std::move(*key), limits));
}

}  // namespace gateway::sessions
