// Links by which a person connects an account: who has one gives the secret of a service, once. In memory: they end
// with the gateway. Owned by the tool router; io thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gateway/accounts/store.hpp"
#include "gateway/base/async.hpp"
#include "gateway/base/ids.hpp"

namespace gateway::accounts {

struct pending_link {
    account what;            // without user name; its id is the account's, once that is made
    std::string session_id;  // for which it was begun
    std::string token;       // whoever has it may connect the account
    std::string callback_url;
    bool is_anew = false;  // for a toolkit that has an account already
    std::string url;       // of the page, token and all
    wall_clock::time_point expires;
};

struct link_rules {
    std::map<std::string, account> services;  // by toolkit: checked_service()
    std::size_t most_per_user = 20;           // accounts.max_links_per_user
    std::chrono::seconds life{600};           // accounts.link_timeout_s
};

struct link_request {
    std::string user_id;
    std::string session_id;
    std::string toolkit;  // in any spelling of it
    std::string alias;
    std::string callback_url;
    bool is_anew = false;
    std::string page_url;  // the account's id and ?link_token=… are put behind it
};

class pending_links {
  public:
    // `store` outlives it. `clock` is for tests.
    pending_links(executor ex, account_store& store, link_rules rules,
                  std::function<wall_clock::time_point()> clock = wall_clock::now);

    const std::map<std::string, account>& services() const { return rules_.services; }
    // invalid_request (the alias, the callback), name_taken (the alias), limit_reached, io_error. `service` is one of
    // services().
    result<pending_link> begin(const account& service, link_request what);
    // Also one that has expired, for as long again.
    const pending_link* find(const std::string& id);
    bool is_over(const pending_link& which) const { return which.expires <= clock_(); }
    // The newest that may still be used.
    const pending_link* find_waiting(const std::string& session_id, const std::string& toolkit);
    // The same, by id and token, compared in constant time.
    const pending_link* follow(const std::string& id, const std::string& token);
    // Makes the account, and ends the link; a failure, one of account_store::add, leaves it.
    result<account> finish(const std::string& id, const std::string& username, const std::string& secret);
    void cancel(const std::string& id);

    // Returns when a link was used, or `limit` has passed.
    awaitable<void> wait_for_change(milliseconds limit) { return changed_.wait_for(limit); }

  private:
    void forget_old();
    result<void> check_new(const account& what) const;

    account_store& store_;
    link_rules rules_;
    std::function<wall_clock::time_point()> clock_;
    std::vector<pending_link> links_;  // the oldest first
    event changed_;
};

// An absolute http(s) URL without a user part; empty: none. invalid_request.
result<void> check_callback(const std::string& url);
// "https://app.example" of one that was checked.
std::string callback_origin(const std::string& url);

}  // namespace gateway::accounts
