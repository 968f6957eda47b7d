#include "gateway/accounts/proxy.hpp"

#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"

namespace gateway::accounts {
namespace {

constexpr int most_redirects = 5;
constexpr std::size_t work_for_pool = 16u << 10;  // looking for the secret can take a millisecond then

outbound::client::options client_options(const proxy_options& from) {
    outbound::client::options made;
    made.reach = from.reach;
    made.ca_file = from.ca_file;
    made.names = from.names;
    return made;
}

failure too_large(std::size_t limit) {
    return {errc::too_large, "the service's answer is larger than " + std::to_string(limit) +
                                 " bytes (accounts.max_response_bytes): ask for less at a time"};
}

// What stands in a failure may be what the service said.
failure without_secret(failure why, const credential& with) {
    with.hide_in(why.message);
    return why;
}

}  // namespace

proxy::proxy(executor ex, account_store& accounts, asio::thread_pool& pool, proxy_options options)
    : accounts_(accounts),
      pool_(pool),
      options_(std::move(options)),
      client_(std::move(ex), client_options(options_)) {}

awaitable<result<proxy_answer>> proxy::execute(proxy_request what, account_scope whose, tools::shared_meters used) {
    auto work = call(std::move(what), std::move(whose), std::move(used));
    co_return co_await tools::run_counted(totals_, std::move(work), options_.timeout,
                                          "the service (accounts.timeout_s)");
}

result<proxy::prepared> proxy::prepare(const proxy_request& what, const account_scope& whose) {
    auto all = accounts_.list();
    if (!all) return all.error();
    auto chosen = choose(*all, whose, what.toolkit, what.account);
    if (!chosen) return chosen.error();
    auto to = first_hop(*chosen, what, accounts_.rules());
    if (!to) return to.error();
    auto secret = accounts_.secret_of(chosen->id);
    if (!secret) return secret.error();
    return prepared{std::move(*chosen), std::move(*to), std::move(*secret)};
}

awaitable<result<proxy_answer>> proxy::call(proxy_request what, account_scope whose, tools::shared_meters used) {
    // Before it is counted: what is refused is no call. And once more when it has its turn: accounts may have changed.
    if (auto good = prepare(what, whose); !good) co_return good.error();
    auto turn = co_await used->proxy.begin(options_.per_session);
    if (!turn) co_return turn.error();
    auto ready = prepare(what, whose);
    if (!ready) co_return ready.error();
    const credential with(ready->of, ready->secret);
    auto answer = co_await follow(std::move(ready->of), std::move(ready->to), with);
    if (!answer) co_return without_secret(answer.error(), with);
    co_return answer;
}

// `with` outlives it.
awaitable<result<proxy_answer>> proxy::follow(account of, hop to, const credential& with) {
    for (int count = 0; count <= most_redirects; ++count) {
        auto asked = to.what;
        if (to.with_secret) with.add_to(asked);
        auto answer = co_await client_.send(std::move(asked));
        if (!answer) co_return answer.error();
        auto location = outbound::find_header((*answer)->fields(), "location");
        auto next = next_hop(of, to, (*answer)->status(), location, accounts_.rules());
        if (!next) co_return next.error();
        if (!*next) co_return co_await read(**answer, with);
        to = std::move(**next);
    }
    co_return failure{errc::tool_failed,
                      "the service redirects more than " + std::to_string(most_redirects) + " times"};
}

awaitable<result<proxy_answer>> proxy::read(outbound::response& from, const credential& with) {
    auto body = co_await outbound::read_all(from, options_.max_response_bytes);
    if (!body && body.error().code == errc::too_large) co_return too_large(options_.max_response_bytes);
    if (!body) co_return body.error();
    auto status = from.status();
    if (body->size() <= work_for_pool) co_return make_answer(status, from.fields(), std::move(*body), with);
    auto work = [&] { return make_answer(status, from.fields(), std::move(*body), with); };
    co_return co_await run_on(pool_, std::move(work));
}

}  // namespace gateway::accounts
