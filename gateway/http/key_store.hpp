// API keys in SQLite: only their hashes, in DATA_DIR/cellgate.db. Owned by main, or by one run of `cellgate keys`;
// several processes may use one database. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/http/principal.hpp"
#include "gateway/storage/database.hpp"

namespace gateway::http {

struct key_record {
    std::string id;  // "key_…"
    std::string name;
    std::string user_id;
    scope allowed = scope::none;
    std::string created_at;                 // ISO 8601
    std::optional<std::string> revoked_at;  // set: the key is refused
};

struct new_key {
    key_record record;
    std::string key;  // "cg_" and 64 hex digits; shown once, kept nowhere
};

class key_store {
  public:
    // Makes the database when there is none; fails as storage::database does.
    static result<std::unique_ptr<key_store>> open(const std::string& data_dir);
    ~key_store();
    key_store(const key_store&) = delete;
    key_store& operator=(const key_store&) = delete;

    // name_taken when a key that is not revoked has this name.
    result<new_key> add(const std::string& name, const std::string& user_id, scope allowed);
    // By id, or by the name of a key that is not revoked; not_found.
    result<key_record> revoke(const std::string& id_or_name);
    result<std::vector<key_record>> list() const;  // oldest first, revoked ones too

    // From memory: no request with a good key waits for the disk.
    std::optional<principal> find(const std::string& key) const;
    // Takes over what other processes have changed.
    result<void> reload();
    // reload(), and the ids of the keys that are refused since the last call.
    result<std::vector<std::string>> refresh();

  private:
    explicit key_store(storage::database database);
    result<void> load();

    storage::database database_;
    std::map<std::string, key_record> by_hash_;  // keys that are not revoked
    std::vector<std::string> revoked_;           // not yet told by refresh()
    std::int64_t data_version_ = -1;
};

// SHA-256 in hex. A key has 256 random bits, so a slow, salted hash would add nothing.
std::string hash_key(const std::string& key);
// In a time that tells nothing about where they differ.
bool equal_in_constant_time(const std::string& left, const std::string& right);

}  // namespace gateway::http
