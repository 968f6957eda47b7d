#include "gateway/api/helpers/execute_route.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gateway/api/helpers/execute_request.hpp"
#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/http/router.hpp"
#include "gateway/tools/service_tools.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::helpers {
namespace {

constexpr std::size_t work_for_pool = 64 << 10;  // taking it apart can take a millisecond then

// A slug comes from code in a kernel: it must not be able to write a line of the log by itself.
std::string shown(const std::string& slug) {
    std::string made = slug.substr(0, 100);
    std::replace_if(
        made.begin(), made.end(), [](char letter) { return letter < 0x21 || letter > 0x7e; }, '?');
    return made;
}

http::response refuse_tool_call(const std::string& log_id, const failure& why) {
    auto made = http::json_response(failure_body(why.message, log_id), http_status(why.code));
    add_retry_after(made, why);
    return made;
}

// A large one in the pool.
awaitable<result<execute_request>> read(const helper_call& call, asio::thread_pool& pool) {
    const std::string& body = call.from.body;
    if (body.size() <= work_for_pool) co_return parse_execute_request(body);
    auto parse = [&body] { return parse_execute_request(body); };
    co_return co_await run_on(pool, std::move(parse));
}

awaitable<http::response> execute(helper_call call, tools::toolbox& tools, asio::thread_pool& pool,
                                  tools::tool_caller whose) {
    auto what = co_await read(call, pool);
    if (!what) co_return refuse_tool_call(call.log_id, what.error());
    if (auto good = check_callable(what->tool_slug); !good) co_return refuse_tool_call(call.log_id, good.error());
    auto allowed = co_await tools::check_admitted(tools, what->tool_slug, whose.admits);
    if (!allowed) co_return refuse_tool_call(call.log_id, allowed.error());
    whose.account = what->account;
    auto started = std::chrono::steady_clock::now();
    auto answer = co_await tools.execute(what->tool_slug, what->arguments, std::move(whose));
    auto spent = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - started).count();
    if (answer) {
        log::debug("session {} called {}: {} bytes in {} ms", call.session, shown(what->tool_slug), answer->size(),
                   spent);
        co_return http::json_response(std::move(*answer));
    }
    auto why = answer.error();
    log::info("session {} called {}: {} after {} ms, {}", call.session, shown(what->tool_slug), to_string(why.code),
              spent, call.log_id);
    co_return refuse_tool_call(call.log_id, why);
}

}  // namespace

result<void> check_callable(const std::string& slug) {
    const auto known = tools::normalized_slug(slug);
    if (!known.starts_with("COMPOSIO_") || known == tools::chat_slug || known == tools::answer_slug) return {};
    return failure{errc::invalid_request,
                   shown(known) +
                       " cannot be called from a cell: it is an agent's. Call the tool that is wanted itself, such as "
                       "TOOLKIT_TOOL; %tools shows which there are"};
}

void add_execute_route(endpoint& to, tools::toolbox& tools, asio::thread_pool& pool, caller_finder find_caller) {
    auto handle = [&tools, &pool, find_caller = std::move(find_caller)](helper_call call) {
        auto whose = find_caller(call.session);
        return execute(std::move(call), tools, pool, std::move(whose));
    };
    auto refuse_without_key = [](const http::request&, const std::string& log_id, const failure& why) {
        return refuse_tool_call(log_id, why);
    };
    to.add("POST", "/v1/tools/execute", std::move(handle), refuse_without_key, endpoint::bodies::large);
}

}  // namespace gateway::api::helpers
