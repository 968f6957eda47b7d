#include "gateway/api/composio/calls.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/bash_tool.hpp"
#include "gateway/api/composio/catalog.hpp"
#include "gateway/api/composio/connection_tools.hpp"
#include "gateway/api/composio/connections.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/tool_search.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

// A toolkit's tool, whose result goes to a file when it is large and the caller can cope with that.
awaitable<tool_outcome> call_one(shared_call call) {
    auto made = co_await call_toolkit(call, call->what.slug, to_text(*call->what.arguments), call->what.account);
    const auto threshold = call->settings().workbench.offload_threshold;
    if (!call->what.may_offload || !call->session->has_sandbox() || made.data.size() <= threshold) co_return made;
    co_return co_await offload_one(call, std::move(made));
}

awaitable<tool_outcome> perform(shared_call call) {
    const auto& what = call->what;
    if (!what.of) co_return co_await call_one(call);
    if (what.of->which == meta::workbench) {
        auto queued = [which = call->which](const std::string& cell_id) { which->cell_id = cell_id; };
        workbench_parts parts{call->session, call->with.cells, call->with.seen, std::move(queued)};
        co_return co_await run_workbench(std::move(parts), what.arguments);
    }
    if (what.of->which == meta::bash) {
        std::function<void(const std::string&)> begun = [which = call->which](const std::string& id) {
            which->command_id = id;
        };
        co_return co_await run_bash(call->session, what.arguments, std::move(begun));
    }
    if (what.of->which == meta::multi_execute) co_return co_await call_many(call);
    if (what.of->which == meta::manage_connections) co_return co_await manage_connections(call);
    if (what.of->which == meta::wait_for_connections) co_return co_await wait_for_connections(call);
    auto all = co_await allowed_tools(call->with.tools, call->settings());
    if (what.of->which == meta::get_tool_schemas) co_return good_outcome(schemas_answer(all, *what.arguments));
    auto known = connections_of(call->with, *call->session, call->settings(), all);
    if (!known) co_return refused_outcome(known.error());
    const auto connected = admitted(std::move(*known), call->settings());
    co_return good_outcome(search_answer(all, *what.arguments, call->settings(), connected));
}

void note_step(sessions::session& of, const json& arguments) {
    auto name = text_member(arguments, "current_step");
    if (name.empty()) return;
    const auto& metric = member(arguments, "current_step_metric");
    of.note_step({std::move(name), metric.is_string() ? to_text(metric) : ""});
}

}  // namespace

awaitable<tool_outcome> call_toolkit(shared_call call, std::string slug, std::string arguments, std::string account) {
    auto allowed = co_await tools::check_admitted(call->with.tools, slug, filter_of(call->version));
    if (!allowed) co_return refused_outcome(allowed.error());
    tools::tool_caller caller(call->session->meters(), call->session->options().user_id, std::move(account));
    auto answer = co_await call->with.tools.execute(slug, std::move(arguments), std::move(caller));
    co_return read_outcome(answer);
}

shared_watch begin_call(context& with, const found_session& of, tool_call what, const std::string& key, bool is_retry) {
    auto session = of.session;
    auto version = of.version;
    auto work = [&with, session, version, what, url = of.page_url](std::shared_ptr<run> which) {
        auto call = std::make_shared<running_call>(running_call{with, session, version, what, std::move(which), url});
        return perform(std::move(call));
    };
    if (what.of) note_step(*session, *what.arguments);
    return with.runs.begin(key, is_retry, std::move(work));
}

}  // namespace gateway::api::composio
