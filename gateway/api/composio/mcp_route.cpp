// /tool_router/{session}/mcp: the tools of a session of the tool router.
#include <nlohmann/json.hpp>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/mcp_endpoint.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* instructions =
    "The tools of one session. Variables of COMPOSIO_REMOTE_WORKBENCH stay between calls; files in /mnt/files are "
    "kept.";

result<started_call> begin(context& with, const found_session& of, const std::string& name,
                           tools::shared_json arguments) {
    tool_call call;
    call.slug = tools::normalized_slug(name);
    call.of = find_meta(call.slug);
    call.arguments = std::move(arguments);
    if (auto good = check_tool_call(call, of.settings()); !good) return good.error();
    return started_call{of.session, begin_call(with, of, std::move(call), "", false)};
}

awaitable<http::response> serve(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    tool_server made;
    made.title = "Cellgate session";
    made.instructions = instructions;
    made.whose = found->session->id();
    made.list = [&with, of = *found] { return listed_tools(with.tools, of.settings()); };
    made.begin = [&with, of = *found](const std::string& name, tools::shared_json arguments) {
        return begin(with, of, name, std::move(arguments));
    };
    co_return co_await serve_mcp(with, from, std::move(made));
}

}  // namespace

void add_mcp_route(http::router& routes, const std::shared_ptr<context>& with) {
    add_mcp_endpoint(routes, with, "/tool_router/{}/mcp", serve);
}

}  // namespace gateway::api::composio
