#include "gateway/api/helpers/proxy_route.hpp"

#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/http/router.hpp"

namespace gateway::api::helpers {
namespace {

constexpr std::size_t work_for_pool = 64u << 10;  // taking it apart can take a millisecond then

failure switched_off() {
    return {errc::forbidden,
            "this session was made without proxy execution (enable_proxy_execution): call a tool with "
            "run_composio_tool, or make a session that has it"};
}

awaitable<result<accounts::proxy_request>> read(const helper_call& call, asio::thread_pool& pool) {
    const std::string& body = call.from.body;
    if (body.size() <= work_for_pool) co_return accounts::parse_proxy_request(body);
    auto parse = [&body] { return accounts::parse_proxy_request(body); };
    co_return co_await run_on(pool, std::move(parse));
}

awaitable<std::string> write(accounts::proxy_answer answer, asio::thread_pool& pool) {
    if (answer.body.size() <= work_for_pool) co_return accounts::envelope(answer);
    auto work = [&answer] { return accounts::envelope(answer); };
    co_return co_await run_on(pool, std::move(work));
}

awaitable<http::response> execute(helper_call call, accounts::proxy& with, asio::thread_pool& pool, account_rights may,
                                  tools::shared_meters used) {
    if (auto good = check_parameters(call); !good) co_return refuse(call, good.error());
    if (!may.allowed) co_return refuse_logged(call, switched_off(), "called a service");
    auto what = co_await read(call, pool);
    if (!what) co_return refuse(call, what.error());
    auto answer = co_await with.execute(std::move(*what), std::move(may.whose), std::move(used));
    if (!answer) co_return refuse_logged(call, answer.error(), "called a service");
    log::debug("session {} called a service: HTTP {}, {} bytes", call.session, answer->status, answer->body.size());
    auto text = co_await write(std::move(*answer), pool);
    co_return http::json_response(std::move(text));
}

}  // namespace

void add_proxy_route(endpoint& to, accounts::proxy& with, asio::thread_pool& pool, account_rights_finder find_rights,
                     meter_finder find_meters) {
    auto handle = [&with, &pool, find_rights = std::move(find_rights),
                   find_meters = std::move(find_meters)](helper_call call) {
        auto may = find_rights(call.session);
        auto used = find_meters(call.session);
        return execute(std::move(call), with, pool, std::move(may), std::move(used));
    };
    auto refuse_without_key = [](const http::request& from, const std::string&, const failure& why) {
        return refuse(from, why);
    };
    to.add("POST", "/v1/proxy", std::move(handle), refuse_without_key, endpoint::bodies::large);
}

}  // namespace gateway::api::helpers
