// /mcp: the gateway's own tools over MCP.
#include "gateway/api/composio/agent_tools.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/mcp_endpoint.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* instructions =
    "Python sessions: create_session makes one, execute runs code in it; variables stay between calls, and so do files "
    "in /mnt/files. end_session ends it.";

awaitable<std::vector<listed_tool>> list(http::principal caller) { co_return agent_tools(caller); }

awaitable<http::response> serve(context& with, http::request& from) {
    tool_server made;
    made.title = "Cellgate";
    made.instructions = instructions;
    made.whose = from.caller.user_id + "\n" + from.caller.key_id;
    made.form = result_form::structured;
    made.list = [caller = from.caller] { return list(caller); };
    made.begin = [&with, caller = from.caller](const std::string& name, tools::shared_json arguments) {
        return begin_agent_tool(with, caller, name, arguments);
    };
    co_return co_await serve_mcp(with, from, std::move(made));
}

}  // namespace

void add_agent_mcp_route(http::router& routes, const std::shared_ptr<context>& with) {
    add_mcp_endpoint(routes, with, "/mcp", serve);
}

}  // namespace gateway::api::composio
