// What a call of a session's tool does.
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/tool_search.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

// What a call needs, for as long as it runs. The context outlives it: the service ends calls before itself.
struct running_call {
    context& with;
    shared_session session;
    std::shared_ptr<const configuration_version> version;
    tool_call what;
    std::shared_ptr<run> which;

    const configuration& settings() const { return version->what; }
};
using shared_call = std::shared_ptr<running_call>;

bool has_filters(const configuration& from) { return from.toolkits != selection{} || !from.tools.empty(); }

// The two tools by which published helpers ask for the model and the web are everybody's.
bool is_service(const std::string& slug) {
    return slug == "COMPOSIO_SEARCH_GROQ_CHAT" || slug == "COMPOSIO_SEARCH_EXA_ANSWER";
}

awaitable<result<void>> check_allowed(shared_call call, std::string slug) {
    if (!has_filters(call->settings()) || is_service(slug)) co_return result<void>();
    auto all = co_await call->with.tools.list();
    for (const auto& each : all)
        if (each.slug == slug && !call->settings().admits(each.toolkit, slug))
            co_return failure{errc::invalid_request,
                              slug + " is not among the tools that this session's toolkits and tools let in"};
    co_return result<void>();
}

awaitable<tool_outcome> call_toolkit(shared_call call, std::string slug, std::string arguments) {
    auto allowed = co_await check_allowed(call, slug);
    if (!allowed) co_return refused_outcome(allowed.error());
    auto answer = co_await call->with.tools.execute(slug, std::move(arguments), call->session->meters());
    co_return read_outcome(answer);
}

// One of many.
awaitable<void> call_one(shared_call call, std::size_t at, std::shared_ptr<json> results) {
    const auto& wanted = member(*call->what.arguments, "tools")[at];
    const auto slug = tools::normalized_slug(text_member(wanted, "tool_slug"));
    const auto& given = member(wanted, "arguments");
    auto arguments = given.is_null() ? std::string("{}") : to_text(given);
    tool_outcome outcome;
    if (find_meta(slug)) {
        outcome = refused_outcome({errc::invalid_request, slug + " cannot be called by another tool: call it itself"});
    } else if (auto good = check_account(member(wanted, "account")); !good) {
        outcome = refused_outcome(good.error());
    } else {
        outcome = co_await call_toolkit(call, slug, std::move(arguments));
    }
    json response = {{"data", json::parse(outcome.data)},
                     {"successful", outcome.error.empty()},
                     {"error", outcome.error.empty() ? json(nullptr) : json(outcome.error)},
                     {"log_id", outcome.log_id}};
    json entry = {{"tool_slug", slug}, {"index", at}, {"response", std::move(response)}};
    if (!outcome.error.empty()) entry["error"] = outcome.error;
    (*results)[at] = std::move(entry);
}

json multi_data(const json& arguments, const json& results) {
    std::size_t failed = 0;
    for (const auto& each : results) failed += each.is_null() || each.contains("error") ? 1 : 0;
    return {{"results", results},
            {"total_count", results.size()},
            {"success_count", results.size() - failed},
            {"error_count", failed},
            {"remote_file_info", nullptr},
            {"next_steps", failed == 0 ? "" : "Read the errors, correct those calls and repeat them alone."},
            {"session", session_echo(arguments)}};
}

awaitable<tool_outcome> call_many(shared_call call) {
    const auto count = member(*call->what.arguments, "tools").size();
    auto results = std::make_shared<json>(json::array());
    results->get_ref<json::array_t&>().resize(count);
    auto ex = co_await asio::this_coro::executor;
    task_group all(ex);
    for (std::size_t at = 0; at < count; ++at) all.spawn("one of many tools", call_one(call, at, results));
    co_await all.join();
    tool_outcome made;
    made.log_id = make_id("log_");
    made.data = to_text(multi_data(*call->what.arguments, *results));
    co_return made;
}

tool_outcome found(const json& data) {
    tool_outcome made;
    made.log_id = make_id("log_");
    made.data = to_text(data);
    return made;
}

awaitable<tool_outcome> perform(shared_call call) {
    const auto& what = call->what;
    if (!what.of) co_return co_await call_toolkit(call, what.slug, to_text(*what.arguments));
    if (what.of->which == meta::workbench) {
        auto queued = [which = call->which](const std::string& cell_id) { which->cell_id = cell_id; };
        workbench_parts parts{call->session, call->with.cells, call->with.seen, std::move(queued)};
        co_return co_await run_workbench(std::move(parts), what.arguments);
    }
    if (what.of->which == meta::multi_execute) co_return co_await call_many(call);
    auto all = co_await allowed_tools(call->with.tools, call->settings());
    if (what.of->which == meta::search_tools) co_return found(search_answer(all, *what.arguments, call->settings()));
    if (what.of->which == meta::get_tool_schemas) co_return found(schemas_answer(all, *what.arguments));
    co_return found(connections_answer(all, *what.arguments));
}

}  // namespace

shared_watch begin_call(context& with, const found_session& of, tool_call what, const std::string& key, bool is_retry) {
    auto session = of.session;
    auto version = of.version;
    auto work = [&with, session, version, what](std::shared_ptr<run> which) {
        auto call = std::make_shared<running_call>(running_call{with, session, version, what, std::move(which)});
        return perform(std::move(call));
    };
    return with.runs.begin(key, is_retry, std::move(work));
}

}  // namespace gateway::api::composio
