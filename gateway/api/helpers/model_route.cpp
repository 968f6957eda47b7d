#include "gateway/api/helpers/model_route.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/helpers/query_request.hpp"
#include "gateway/http/router.hpp"
#include "gateway/tools/code_fence.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::api::helpers {
namespace {

std::string why_incomplete(const tools::completion& from) {
    if (from.finish_reason == "length")
        return "the answer is cut: it reached the limit of tokens (llm.max_tokens, or the model's own)";
    if (from.finish_reason == "content_filter") return "the answer is cut: the model server's filter stopped it";
    return "";
}

http::response answer(const tools::completion& from) {
    nlohmann::json body = {{"text", tools::without_fence(from.text)}};
    if (auto why = why_incomplete(from); !why.empty()) body["incomplete"] = why;
    return http::json_response(tools::to_text(body));
}

awaitable<http::response> ask(helper_call call, tools::model& asked, tools::shared_meters whose) {
    auto query = parse_query_request(call.from.body, true);
    if (!query) co_return refuse(call, query.error());
    auto what = tools::ask_model(query->query, query->reasoning_effort);
    if (!what) co_return refuse(call, what.error());
    auto made = co_await asked.complete(std::move(*what), std::move(whose));
    if (!made) co_return refuse_logged(call, made.error(), "asked the model");
    co_return answer(*made);
}

}  // namespace

void add_model_route(endpoint& to, tools::model& asked, meter_finder find_meters) {
    to.add("POST", "/v1/llm", [&asked, find_meters = std::move(find_meters)](helper_call call) {
        auto whose = find_meters(call.session);
        return ask(std::move(call), asked, std::move(whose));
    });
}

}  // namespace gateway::api::helpers
