// …/execute and …/execute_meta: everything that can be checked is, before the headers; then they go out, spaces keep
// the client from timing out, and the outcome comes last. A tool that fails is status 200 with an error.
#include <nlohmann/json.hpp>

#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/http/late_body.hpp"

namespace gateway::api::composio {
namespace {

// By the clients' own count of what they sent before.
bool is_retry(const http::request& from) {
    auto count = from.header("x-stainless-retry-count");
    return !count.empty() && count != "0";
}

// Calls are equal when they would do the same: with another account, a tool does something else. As JSON, no part can
// be taken for another's.
std::string key_of(const found_session& of, const tool_call& what) {
    const json head = {of.session->id(), what.slug, what.account, what.may_offload};
    return to_text(head) + to_text(*what.arguments);
}

// The outcome in one piece; when more is asked for, the client has it.
http::body_source outcome_source(const shared_watch& of) {
    auto sent = std::make_shared<bool>(false);
    return [of, sent]() -> awaitable<std::optional<std::string>> {
        std::optional<std::string> piece;
        if (!*sent) {
            *sent = true;
            piece = execute_answer((*of)->outcome());
        } else {
            of->delivered();
        }
        co_return piece;
    };
}

http::body_source late_outcome(const shared_watch& of, milliseconds keep_alive) {
    auto find = [of]() -> awaitable<result<http::body_source>> {
        auto ended = co_await (*of)->wait();
        if (!ended) co_return ended.error();
        co_return outcome_source(of);
    };
    auto tell = [](const failure& why) { return execute_answer(refused_outcome(why)); };
    return http::make_late_body(std::move(find), std::move(tell), keep_alive);
}

result<tool_call> read_toolkits_call(const std::string& body) { return read_tool_call(body, "tool_slug"); }

result<tool_call> read_meta_call(const std::string& body) {
    auto made = read_tool_call(body, "slug");
    if (made && !made->of) return failure{errc::invalid_request, made->slug + " is no meta tool: call it with execute"};
    return made;
}

using call_reader = result<tool_call> (*)(const std::string&);

// A large one in the pool.
awaitable<result<tool_call>> read_call(context& with, const std::string& body, call_reader read) {
    if (body.size() <= work_for_pool) co_return read(body);
    auto parse = [&body, read] { return read(body); };
    co_return co_await run_on(*with.options.pool, std::move(parse));
}

awaitable<http::response> run_call(context& with, http::request& from, call_reader read) {
    auto what = co_await read_call(with, from.body, read);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    if (!what) co_return refuse(what.error(), from);
    if (auto good = check_tool_call(*what, found->settings()); !good) co_return refuse(good.error(), from);
    const bool is_toolkits = what->of == nullptr;
    auto key = key_of(*found, *what);
    auto watch = begin_call(with, *found, std::move(*what), key, is_retry(from));
    if (is_toolkits) co_await (*watch)->wait_for(with.options.head_wait);
    if ((*watch)->has_ended() && (*watch)->outcome().refused) {
        watch->delivered();
        co_return refuse(*(*watch)->outcome().refused, from);
    }
    http::response made;
    made.body = late_outcome(watch, with.options.keep_alive);
    co_return made;
}

awaitable<http::response> execute(context& with, http::request& from) {
    return run_call(with, from, read_toolkits_call);
}

awaitable<http::response> execute_meta(context& with, http::request& from) {
    return run_call(with, from, read_meta_call);
}

}  // namespace

void add_execute_routes(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "POST", "/{}/execute", http::scope::execute, execute);
    add_route(routes, with, "POST", "/{}/execute_meta", http::scope::execute, execute_meta);
}

}  // namespace gateway::api::composio
