// Connected accounts in SQLite, beside the API keys; their secrets sealed. Owned by main, or by one run of
// `cellgate accounts`; several processes may use one database. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/accounts/account.hpp"
#include "gateway/storage/database.hpp"
#include "gateway/storage/sealer.hpp"

namespace gateway::accounts {

// What of an account may change; what is not there stays. Where its secret goes never changes: that is another account.
struct account_change {
    std::optional<std::string> alias;
    std::optional<account_status> status;
    std::optional<std::string> secret;
};

class account_store {
  public:
    // `key_file`: empty for DATA_DIR/accounts.key. The key is read when a secret is needed first, and again for each
    // that is sealed and where it does not fit; it is made only when there is no account. io_error.
    static result<std::unique_ptr<account_store>> open(const std::string& data_dir, const std::string& key_file,
                                                       account_rules rules);

    // Checks it, and gives it a time, and an id unless it has one that make_id() gave. invalid_request, name_taken (the
    // user's alias), limit_reached, io_error.
    result<account> add(account what, const std::string& secret);
    // account_not_found and the failures of add().
    result<account> change(const std::string& id, const account_change& what);
    result<account> remove(const std::string& id);

    // As other processes left them, too; from memory as long as nobody writes. Oldest first.
    result<std::vector<account>> list();
    result<account> find(const std::string& id);
    // For one call. io_error when the row was changed by another hand or the key is another.
    result<std::string> secret_of(const std::string& id);
    const account_rules& rules() const { return rules_; }
    // Whether the key is there, when there are accounts: at the gateway's start, for the log.
    result<void> check_key();

    static constexpr std::size_t most_per_user = 1000;

  private:
    struct row {
        account what;
        std::string sealed;
    };
    account_store(storage::database database, std::string key_file, account_rules rules);
    result<void> refresh();
    result<void> load();
    result<storage::transaction> begin_change();
    result<void> end_change(storage::transaction& writing);
    result<void> read_key();
    void empty_log();
    const row* find_row(const std::string& id) const;
    result<void> check_new(const account& what) const;
    result<std::string> sealed(const account& of, const std::string& secret);
    result<std::string> opened(const row& from) const;

    storage::database database_;
    std::string key_file_;
    account_rules rules_;
    std::optional<storage::sealer> key_;
    std::vector<row> rows_;
    std::int64_t data_version_ = -1;
    bool is_log_full_ = false;  // of secrets that were removed or changed
};

}  // namespace gateway::accounts
