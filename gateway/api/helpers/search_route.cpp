#include "gateway/api/helpers/search_route.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/helpers/query_request.hpp"
#include "gateway/http/router.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::api::helpers {
namespace {

using nlohmann::json;

http::response answer(const tools::search_answer& from) {
    json body = {{"answer", from.text()}, {"sources", json::array()}};
    for (const auto& each : from.pages) body["sources"].push_back({{"title", each.title}, {"url", each.url}});
    return http::json_response(tools::to_text(body));
}

awaitable<http::response> search(helper_call call, tools::web_search& searched, tools::shared_meters whose) {
    auto query = parse_query_request(call.from.body, false);
    if (!query) co_return refuse(call, query.error());
    auto found = co_await searched.search(std::move(query->query), std::move(whose));
    if (!found) co_return refuse_logged(call, found.error(), "searched the web");
    co_return answer(*found);
}

}  // namespace

void add_search_route(endpoint& to, tools::web_search& searched, meter_finder find_meters) {
    to.add("POST", "/v1/search", [&searched, find_meters = std::move(find_meters)](helper_call call) {
        auto whose = find_meters(call.session);
        return search(std::move(call), searched, std::move(whose));
    });
}

}  // namespace gateway::api::helpers
