// COMPOSIO_MULTI_EXECUTE_TOOL: many calls at once, and what becomes of results that are too large to be answered.
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/calls.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/offload.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t least_preview = 1'000;          // characters of one result
constexpr std::size_t most_inline_bytes = 16u << 20;  // of all results, where no file may have them
constexpr std::size_t most_kept_bytes = 128u << 20;   // of all results, before they are written

// One of the calls and what came of it.
struct part {
    std::string slug;
    std::string error;
    std::string log_id;
    std::shared_ptr<const std::string> data;  // JSON
};
struct gathering {
    std::vector<part> parts;
    std::size_t bytes = 0;  // of their data
};
using shared_gathering = std::shared_ptr<gathering>;

awaitable<tool_outcome> outcome_of(shared_call call, const json& wanted, std::string slug) {
    if (find_meta(slug))
        co_return refused_outcome({errc::invalid_request, slug + " cannot be called by another tool: call it itself"});
    auto account = read_account(member(wanted, "account"));
    if (!account) co_return refused_outcome(account.error());
    const auto& given = member(wanted, "arguments");
    auto arguments = given.is_null() ? std::string("{}") : to_text(given);
    co_return co_await call_toolkit(call, std::move(slug), std::move(arguments), std::move(*account));
}

awaitable<void> call_part(shared_call call, std::size_t at, shared_gathering into) {
    const auto& wanted = member(*call->what.arguments, "tools")[at];
    const auto slug = tools::normalized_slug(text_member(wanted, "tool_slug"));
    auto outcome = co_await outcome_of(call, wanted, slug);
    if (into->bytes + outcome.data.size() > most_kept_bytes) {
        outcome.data = "{}";
        outcome.error = "the results of these calls have over 128 MiB together, and this one is lost: call it alone";
    }
    into->bytes += outcome.data.size();
    auto data = std::make_shared<const std::string>(std::move(outcome.data));
    into->parts[at] = part{slug, std::move(outcome.error), std::move(outcome.log_id), std::move(data)};
}

// All but the data, which stands where `data_name` is.
std::string head_of_entry(const part& of, std::size_t at, const char* data_name) {
    return R"({"tool_slug":)" + to_text(json(of.slug)) + R"(,"index":)" + std::to_string(at) + R"(,"response":{")" +
           data_name + "\":";
}
std::string tail_of_entry(const part& of, const std::string& more = "") {
    const auto error = of.error.empty() ? std::string("null") : to_text(json(of.error));
    return more + R"(,"successful":)" + (of.error.empty() ? "true" : "false") + R"(,"error":)" + error +
           R"(,"log_id":)" + to_text(json(of.log_id)) + "}" + (of.error.empty() ? "" : R"(,"error":)" + error) + "}";
}

std::shared_ptr<const std::string> piece(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
}

// {"results": [{"response": {"data": …}, …}]}: what code in the sandbox reads.
files::shared_pieces file_pieces(const std::vector<part>& of) {
    files::shared_pieces made{piece(R"({"results":[)")};
    for (std::size_t at = 0; at < of.size(); ++at) {
        made.push_back(piece((at == 0 ? "" : ",") + head_of_entry(of[at], at, "data")));
        made.push_back(of[at].data);
        made.push_back(piece(tail_of_entry(of[at])));
    }
    made.push_back(piece("]}"));
    return made;
}

// The answer's data: `entries` is the text of its results.
std::string answer_data(const json& arguments, const std::vector<part>& of, const std::string& entries,
                        const json& file) {
    std::size_t failed = 0;
    for (const auto& each : of) failed += each.error.empty() ? 0 : 1;
    const json rest = {{"total_count", of.size()},
                       {"success_count", of.size() - failed},
                       {"error_count", failed},
                       {"remote_file_info", file},
                       {"next_steps", failed == 0 ? "" : "Read the errors, correct those calls and repeat them alone."},
                       {"session", session_echo(arguments)}};
    return R"({"results":[)" + entries + "]," + to_text(rest).substr(1);
}

// Everything in the answer, as far as that goes.
std::string inline_entries(std::vector<part>& of) {
    std::string made;
    for (std::size_t at = 0; at < of.size(); ++at) {
        if (made.size() + of[at].data->size() > most_inline_bytes) {
            of[at].data = piece("{}");
            of[at].error =
                "the results of these calls have over 16 MiB together, and this one is left out: call it alone";
        }
        made += (at == 0 ? "" : ",") + head_of_entry(of[at], at, "data") + *of[at].data + tail_of_entry(of[at]);
    }
    return made;
}

awaitable<std::string> preview_entries(shared_call call, const std::vector<part>& of, const std::string& file) {
    const auto each_most = std::max(least_preview, call->settings().workbench.offload_threshold / of.size());
    std::string made;
    for (std::size_t at = 0; at < of.size(); ++at) {
        auto shown = co_await make_preview(*call->with.options.pool, of[at].data, each_most);
        auto mark = std::string(R"(,"incomplete":)") + (shown.is_whole ? "false" : "true");
        if (!shown.is_whole)
            mark += R"(,"incomplete_note":)" +
                    to_text(json("data_preview is only the beginning; the whole is " +
                                 (file.empty() ? "lost" : "in " + file + " at results[" + std::to_string(at) + "]")));
        made +=
            (at == 0 ? "" : ",") + head_of_entry(of[at], at, "data_preview") + shown.text + tail_of_entry(of[at], mark);
    }
    co_return made;
}

std::size_t characters_in(const std::vector<part>& of) {
    std::size_t made = 0;
    for (const auto& each : of) made += count_characters(*each.data);
    return made;
}

awaitable<std::string> offloaded(shared_call call, const std::vector<part>& of, std::size_t characters) {
    const auto& arguments = *call->what.arguments;
    auto pieces = file_pieces(of);
    auto task = text_member(arguments, "session_id");
    auto kept =
        co_await keep_pieces(call->session->files(), *call->with.options.pool, std::move(task), std::move(pieces));
    const auto file = kept ? *kept : std::string();
    auto entries = co_await preview_entries(call, of, file);
    co_return answer_data(arguments, of, entries, file_info(kept, characters));
}

}  // namespace

awaitable<tool_outcome> call_many(shared_call call) {
    const auto& arguments = *call->what.arguments;
    const auto count = member(arguments, "tools").size();
    auto gathered = std::make_shared<gathering>();
    gathered->parts.resize(count);
    auto ex = co_await asio::this_coro::executor;
    task_group all(ex);
    for (std::size_t at = 0; at < count; ++at) all.spawn("one of many tools", call_part(call, at, gathered));
    co_await all.join();
    // One that was cancelled has nothing.
    auto& parts = gathered->parts;
    for (auto& each : parts)
        if (!each.data)
            each = part{each.slug, "the call was ended before its tool answered", make_id("log_"), piece("{}")};
    const auto characters = characters_in(parts);
    const bool is_wanted = member(arguments, "sync_response_to_workbench") == json(true);
    tool_outcome made;
    made.log_id = make_id("log_");
    // It may have been turned off while the tools ran.
    if (call->session->has_sandbox() && (is_wanted || characters > call->settings().workbench.offload_threshold)) {
        made.data = co_await offloaded(call, parts, characters);
    } else {
        const auto entries = inline_entries(parts);
        made.data = answer_data(arguments, parts, entries, json());
    }
    co_return made;
}

awaitable<tool_outcome> offload_one(shared_call call, tool_outcome what) {
    const auto characters = count_characters(what.data);
    const auto threshold = call->settings().workbench.offload_threshold;
    if (characters <= threshold) co_return what;
    auto& pool = *call->with.options.pool;
    auto data = std::make_shared<const std::string>(std::move(what.data));
    files::shared_pieces pieces{piece(R"({"results":[{"response":{"data":)"), data, piece("}}]}")};
    auto kept = co_await keep_pieces(call->session->files(), pool, call->what.slug, std::move(pieces));
    const auto most = std::max<std::size_t>(least_preview, threshold);
    auto shown = co_await make_preview(pool, data, most);
    json made = {{"data_preview", json::parse(shown.text)},
                 {"incomplete", !shown.is_whole},
                 {"remote_file_info", file_info(kept, characters)}};
    what.data = to_text(made);
    co_return what;
}

}  // namespace gateway::api::composio
