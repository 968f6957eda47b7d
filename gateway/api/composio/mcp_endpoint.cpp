#include "gateway/api/composio/mcp_endpoint.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/mcp_headers.hpp"
#include "gateway/api/composio/mcp_message.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/base/thread_pool.hpp"

namespace gateway::api::composio {
namespace {

http::response answer(std::string message, int status = 200) { return http::json_response(std::move(message), status); }

http::response refuse_http(const http::request& from, const header_problem& why) {
    return http::error_response({errc::invalid_request, why.text}, http::error_style::composio, from.id, why.status);
}

// One message and where it came from.
struct exchange {
    context& with;
    const http::request& from;
    const tool_server& of;
    const client_message& what;
    bool alone = false;

    std::string client() const { return of.whose + "\n" + (alone ? from.id : from.header(client_header)); }
};

std::string progress_token(const json& params) {
    const auto& token = member(member(params, "_meta"), "progressToken");
    return token.is_string() || token.is_number() ? to_text(token) : "";
}

http::response call_tool(const exchange& now) {
    const auto& params = *now.what.params;
    const auto name = text_member(params, "name");
    const auto& arguments = member(params, "arguments");
    if (name.empty() || (!arguments.is_null() && !arguments.is_object()))
        return answer(rpc_error(now.what.id, rpc_invalid_params, "tools/call takes a name, and arguments: an object"));
    auto started = now.of.begin(name, std::make_shared<const json>(arguments.is_null() ? json::object() : arguments));
    if (!started && started.error().code == errc::not_found)
        return answer(rpc_error(now.what.id, rpc_invalid_params, started.error().message));
    // Arguments that are wrong are for the model to see.
    if (!started) return answer(rpc_result(now.what.id, call_result(refused_outcome(started.error()), now.of.form)));
    auto made = std::make_shared<mcp_call>();
    made->id = now.what.id;
    made->session = started->session;
    made->progress_token = progress_token(params);
    made->watch = started->watch;
    made->form = now.of.form;
    made->ends_with_client = now.alone;
    now.with.mcp.add(now.client(), made);
    http::response stream;
    stream.content_type = "text/event-stream";
    stream.headers.emplace_back("Cache-Control", "no-cache");
    stream.headers.emplace_back("X-Accel-Buffering", "no");
    const mcp_pace pace{now.with.options.progress, now.with.options.keep_alive};
    stream.body = mcp_stream(std::move(made), pace, now.with.mcp);
    return stream;
}

http::response initialize(const exchange& now, const server_words& words) {
    auto made = answer(rpc_result(now.what.id, initialize_result(*now.what.params, words)));
    made.headers.emplace_back("Mcp-Session-Id", random_hex(16));
    return made;
}

// `now` outlives it.
awaitable<http::response> serve_request(const exchange& now) {
    const server_words words{now.of.title, now.of.instructions};
    const auto& [id, method, params] = now.what;
    if (now.alone && method == "server/discover") co_return answer(rpc_result(id, discover_result(words)));
    if (!now.alone && method == "initialize") co_return initialize(now, words);
    if (!now.alone && method == "ping") co_return answer(rpc_result(id, json::object()));
    if (method == "tools/list") {
        auto all = co_await now.of.list();
        co_return answer(rpc_result(id, tools_result(all)));
    }
    if (method == "tools/call") co_return call_tool(now);
    auto unknown = rpc_error(id, rpc_method_not_found, "there is no method " + method.substr(0, 100));
    co_return answer(std::move(unknown), now.alone ? 404 : 200);
}

// A large one in the pool.
awaitable<std::optional<client_message>> read_message(context& with, const std::string& body, message_problem& why) {
    if (body.size() <= work_for_pool) co_return read_client_message(body, why);
    auto parse = [&body, &why] { return read_client_message(body, why); };
    co_return co_await run_on(*with.options.pool, std::move(parse));
}

}  // namespace

awaitable<http::response> serve_mcp(context& with, http::request& from, tool_server of) {
    if (auto wrong = check_http(from)) co_return refuse_http(from, *wrong);
    if (from.body.size() > most_call_bytes) co_return refuse_http(from, {413, 0, "a message has at most 16 MiB", ""});
    message_problem why;
    auto what = co_await read_message(with, from.body, why);
    if (!what) co_return answer(rpc_error("", why.code, why.text), 400);
    if (auto wrong = check_metadata(from, *what))
        co_return answer(rpc_error(what->id, wrong->code, wrong->text, wrong->data), wrong->status);
    const exchange now{with, from, of, *what, stands_alone(from, *what)};
    if (what->is_request()) co_return co_await serve_request(now);
    if (what->method == "notifications/cancelled") {
        const auto& id = member(*what->params, "requestId");
        co_await with.mcp.cancel(now.client(), to_text(id));
    }
    co_return http::empty_response(202);
}

void add_mcp_endpoint(http::router& routes, const std::shared_ptr<context>& with, const char* pattern, endpoint serve) {
    http::route added;
    added.method = "POST";
    added.pattern = pattern;
    added.needed = http::scope::execute;
    added.errors = http::error_style::composio;
    added.handle = [with, serve](http::request& from) { return serve(*with, from); };
    routes.add(std::move(added));
}

}  // namespace gateway::api::composio
