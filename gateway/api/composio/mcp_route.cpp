// /tool_router/{session}/mcp: the Streamable HTTP transport of MCP, without a stream of the server's own. State is the
// session's; a client's id only tells its requests from another client's.
#include <nlohmann/json.hpp>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/mcp_message.hpp"
#include "gateway/http/text.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* client_header = "mcp-session-id";
constexpr const char* revision_header = "mcp-protocol-version";
constexpr std::size_t most_client_bytes = 200;

// "application/json" of "application/json; q=0.9".
bool accepts(const http::request& from, std::string_view type) {
    auto header = from.header("accept");
    for (auto each : http::split_list(header)) {
        auto name = http::trim(each.substr(0, each.find(';')));
        if (http::equals_ignoring_case(name, type) || name == "*/*") return true;
    }
    return false;
}

http::response problem(const http::request& from, int status, std::string text) {
    return http::error_response({errc::invalid_request, std::move(text)}, http::error_style::composio, from.id, status);
}

// What is wrong with the request as HTTP.
std::optional<http::response> check_headers(const http::request& from) {
    if (!accepts(from, "application/json") || !accepts(from, "text/event-stream"))
        return problem(from, 406, "Accept must have both application/json and text/event-stream");
    auto type = from.header("content-type");
    if (!http::equals_ignoring_case(http::trim(std::string_view(type).substr(0, type.find(';'))), "application/json"))
        return problem(from, 415, "Content-Type must be application/json");
    auto revision = from.header(revision_header);
    if (!revision.empty() && !is_known_revision(revision))
        return problem(from, 400, "this revision of MCP is not spoken here: initialize to agree on one");
    if (from.header(client_header).size() > most_client_bytes)
        return problem(from, 400, "this Mcp-Session-Id is not one that initialize gave");
    return std::nullopt;
}

http::response answer(std::string message, int status = 200) { return http::json_response(std::move(message), status); }

awaitable<http::response> call_tool(context& with, const found_session& found, const client_message& what,
                                    const http::request& from) {
    const auto name = text_member(*what.params, "name");
    const auto& arguments = member(*what.params, "arguments");
    if (name.empty() || (!arguments.is_null() && !arguments.is_object()))
        co_return answer(rpc_error(what.id, rpc_invalid_params, "tools/call takes a name, and arguments: an object"));
    tool_call call;
    call.slug = tools::normalized_slug(name);
    call.of = find_meta(call.slug);
    call.arguments = std::make_shared<const json>(arguments.is_null() ? json::object() : arguments);
    // Arguments that are wrong are for the model to see.
    if (auto good = check_tool_call(call, found.settings()); !good)
        co_return answer(rpc_result(what.id, call_result(refused_outcome(good.error()))));
    auto made = std::make_shared<mcp_call>();
    made->id = what.id;
    made->session = found.session;
    if (const auto& token = member(member(*what.params, "_meta"), "progressToken");
        token.is_string() || token.is_number())
        made->progress_token = to_text(token);
    made->watch = begin_call(with, found, std::move(call), "", false);
    with.mcp.add(found.session->id() + "\n" + from.header(client_header), made);
    http::response stream;
    stream.content_type = "text/event-stream";
    stream.headers.emplace_back("Cache-Control", "no-cache");
    stream.body = mcp_stream(std::move(made), {with.options.progress, with.options.keep_alive});
    co_return stream;
}

awaitable<http::response> serve_request(context& with, const found_session& found, const client_message& what,
                                        const http::request& from) {
    if (what.method == "initialize") {
        auto made = answer(rpc_result(what.id, initialize_result(*what.params)));
        made.headers.emplace_back("Mcp-Session-Id", random_hex(16));
        co_return made;
    }
    if (what.method == "ping") co_return answer(rpc_result(what.id, json::object()));
    if (what.method == "tools/list") {
        auto all = co_await listed_tools(with.tools, found.settings());
        co_return answer(rpc_result(what.id, tools_result(all)));
    }
    if (what.method == "tools/call") co_return co_await call_tool(with, found, what, from);
    co_return answer(rpc_error(what.id, rpc_method_not_found, "there is no method " + what.method.substr(0, 100)));
}

awaitable<http::response> serve(context& with, http::request& from) {
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    if (auto wrong = check_headers(from)) co_return std::move(*wrong);
    if (from.body.size() > most_call_bytes) co_return problem(from, 413, "a message has at most 16 MiB");
    message_problem why;
    auto what = read_client_message(from.body, why);
    if (!what) co_return answer(rpc_error("", why.code, why.text), 400);
    if (what->is_request()) co_return co_await serve_request(with, *found, *what, from);
    if (what->method == "notifications/cancelled") {
        const auto& id = member(*what->params, "requestId");
        co_await with.mcp.cancel(found->session->id() + "\n" + from.header(client_header), to_text(id));
    }
    co_return http::empty_response(202);
}

}  // namespace

void add_mcp_route(http::router& routes, const std::shared_ptr<context>& with) {
    http::route added;
    added.method = "POST";
    added.pattern = "/tool_router/{}/mcp";
    added.needed = http::scope::execute;
    added.errors = http::error_style::composio;
    added.handle = [with](http::request& from) { return serve(*with, from); };
    routes.add(std::move(added));
}

}  // namespace gateway::api::composio
