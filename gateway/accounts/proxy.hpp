// proxy_execute: calls a service with a connected account of a user. The secret goes to the account's own hosts alone,
// and comes back to nobody. Owned by main; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "gateway/accounts/credential.hpp"
#include "gateway/accounts/hop.hpp"
#include "gateway/accounts/proxy_answer.hpp"
#include "gateway/accounts/proxy_request.hpp"
#include "gateway/accounts/selection.hpp"
#include "gateway/accounts/store.hpp"
#include "gateway/base/async.hpp"
#include "gateway/outbound/client.hpp"
#include "gateway/tools/meter.hpp"
#include "gateway/tools/service_totals.hpp"

namespace gateway::accounts {

struct proxy_options {
    outbound::address_policy reach = outbound::address_policy::public_only();
    milliseconds timeout{50'000};  // of a call, with its redirects and its wait for a turn
    std::size_t max_response_bytes = 16u << 20;
    tools::usage_limits per_session = {.section = "accounts", .concurrent = 16};
    std::string ca_file;       // besides the system's certificates; PEM
    outbound::resolver names;  // none: the system's
};

class proxy {
  public:
    // All outlive it. `pool` takes large answers apart.
    proxy(executor ex, account_store& accounts, asio::thread_pool& pool, proxy_options options);

    // Chooses the account, calls, follows at most 5 redirects within the account's hosts. An answer with any status is
    // an answer. Failures: those of choose(); invalid_request; origin_mismatch; forbidden (the address may not be
    // reached); too_large, timeout, limit_reached (with the setting's name); unavailable, peer_gone, tool_failed (the
    // service); io_error (the store). Cancelled, it leaves.
    awaitable<result<proxy_answer>> execute(proxy_request what, account_scope whose, tools::shared_meters used);

    const tools::service_totals& totals() const { return totals_; }

  private:
    struct prepared {
        account of;
        hop to;
        std::string secret;
    };
    result<prepared> prepare(const proxy_request& what, const account_scope& whose);
    awaitable<result<proxy_answer>> call(proxy_request what, account_scope whose, tools::shared_meters used);
    awaitable<result<proxy_answer>> follow(account of, hop to, const credential& with);
    awaitable<result<proxy_answer>> read(outbound::response& from, const credential& with);

    account_store& accounts_;
    asio::thread_pool& pool_;
    proxy_options options_;
    outbound::client client_;
    tools::service_totals totals_;
};

}  // namespace gateway::accounts
