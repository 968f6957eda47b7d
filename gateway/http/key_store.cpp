#include "gateway/http/key_store.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "gateway/base/hex.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/storage/statement.hpp"

namespace gateway::http {
namespace {

using storage::execute;
using storage::statement;

constexpr const char* columns = "SELECT id, name, user_id, scope, created_at, revoked_at, hash FROM keys ";

key_record read_record(const statement& row) {
    key_record record;
    record.id = row.text(0);
    record.name = row.text(1);
    record.user_id = row.text(2);
    record.allowed = find_scope(row.text(3)).value_or(scope::none);
    record.created_at = row.text(4);
    if (!row.is_null(5)) record.revoked_at = row.text(5);
    return record;
}

}  // namespace

std::string hash_key(const std::string& key) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest);
    return to_hex(digest);
}

bool equal_in_constant_time(const std::string& left, const std::string& right) {
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

key_store::key_store(storage::database database) : database_(std::move(database)) {}

key_store::~key_store() = default;

result<std::unique_ptr<key_store>> key_store::open(const std::string& data_dir) {
    auto opened = storage::database::open(data_dir);
    if (!opened) return opened.error();
    std::unique_ptr<key_store> store(new key_store(std::move(*opened)));
    if (auto read = store->refresh(); !read) return read.error();
    return store;
}

result<void> key_store::load() {
    std::map<std::string, key_record> now;
    statement rows(database_.get(), (std::string(columns) + "WHERE revoked_at IS NULL").c_str());
    while (true) {
        auto row = rows.step();
        if (!row) return row.error();
        if (!*row) break;
        now.emplace(rows.text(6), read_record(rows));
    }
    for (const auto& [hash, record] : by_hash_)
        if (!now.contains(hash)) revoked_.push_back(record.id);
    by_hash_ = std::move(now);
    return {};
}

result<void> key_store::reload() {
    statement version(database_.get(), "PRAGMA data_version");  // counts what other connections have committed
    auto row = version.step();
    if (!row) return row.error();
    if (version.integer(0) == data_version_) return {};
    if (auto loaded = load(); !loaded) return loaded.error();
    data_version_ = version.integer(0);
    return {};
}

result<std::vector<std::string>> key_store::refresh() {
    if (auto reloaded = reload(); !reloaded) return reloaded.error();
    return std::exchange(revoked_, {});
}

result<new_key> key_store::add(const std::string& name, const std::string& user_id, scope allowed) {
    if (name.empty() || user_id.empty() || allowed == scope::none)
        return failure{errc::invalid_request, "a key needs a name, a user ID, and a scope: execute, session or admin"};
    auto all = list();
    if (!all) return all.error();
    for (const auto& each : *all)
        if (each.name == name && !each.revoked_at)
            return failure{
                errc::name_taken,
                fmt::format("there is a key {} already ({}): revoke it, or choose another name", name, each.id)};
    new_key made;
    made.key = "cg_" + random_hex(32);
    made.record = {make_id("key_"), name, user_id, allowed, iso8601(wall_clock::now()), std::nullopt};
    const auto& record = made.record;
    auto inserted = execute(
        database_.get(), "INSERT INTO keys (id, name, hash, user_id, scope, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        {record.id, record.name, hash_key(made.key), record.user_id, to_string(record.allowed), record.created_at});
    if (!inserted) return inserted.error();
    if (auto loaded = load(); !loaded) return loaded.error();
    return made;
}

result<key_record> key_store::revoke(const std::string& id_or_name) {
    auto all = list();
    if (!all) return all.error();
    for (auto& each : *all) {
        if (each.revoked_at || (each.id != id_or_name && each.name != id_or_name)) continue;
        each.revoked_at = iso8601(wall_clock::now());
        auto changed =
            execute(database_.get(), "UPDATE keys SET revoked_at = ? WHERE id = ?", {*each.revoked_at, each.id});
        if (!changed) return changed.error();
        if (auto loaded = load(); !loaded) return loaded.error();
        return each;
    }
    return failure{errc::not_found,
                   fmt::format("there is no key {} in use: `cellgate keys list` shows them", id_or_name)};
}

result<std::vector<key_record>> key_store::list() const {
    std::vector<key_record> all;
    statement rows(database_.get(), (std::string(columns) + "ORDER BY created_at, id").c_str());
    while (true) {
        auto row = rows.step();
        if (!row) return row.error();
        if (!*row) return all;
        all.push_back(read_record(rows));
    }
}

std::optional<principal> key_store::find(const std::string& key) const {
    auto hash = hash_key(key);
    // The tree is walked by the hash of what was sent: how long that takes tells nothing that helps to guess a key.
    auto at = by_hash_.find(hash);
    if (at == by_hash_.end() || !equal_in_constant_time(at->first, hash)) return std::nullopt;
    principal found;
    found.user_id = at->second.user_id;
    found.allowed = at->second.allowed;
    found.key_id = at->second.id;
    return found;
}

}  // namespace gateway::http
