#include "gateway/api/helpers/execute_route.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gateway/api/helpers/execute_request.hpp"
#include "gateway/base/log.hpp"
#include "gateway/http/router.hpp"

namespace gateway::api::helpers {
namespace {

// A slug comes from code in a kernel: it must not be able to write a line of the log by itself.
std::string shown(const std::string& slug) {
    std::string made = slug.substr(0, 100);
    std::replace_if(
        made.begin(), made.end(), [](char letter) { return letter < 0x21 || letter > 0x7e; }, '?');
    return made;
}

http::response refuse_tool_call(const helper_call& call, const failure& why) {
    auto made = http::json_response(failure_body(why.message, call.log_id), http_status(why.code));
    add_retry_after(made, why);
    return made;
}

awaitable<http::response> execute(helper_call call, tools::toolbox& tools, tools::shared_meters whose) {
    auto what = parse_execute_request(call.from.body);
    if (!what) co_return refuse_tool_call(call, what.error());
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
    co_return refuse_tool_call(call, why);
}

}  // namespace

void add_execute_route(endpoint& to, tools::toolbox& tools, meter_finder find_meters) {
    auto handle = [&tools, find_meters = std::move(find_meters)](helper_call call) {
        auto whose = find_meters(call.session);
        return execute(std::move(call), tools, std::move(whose));
    };
    to.add("POST", "/v1/tools/execute", std::move(handle), refuse_tool_call);
}

}  // namespace gateway::api::helpers
