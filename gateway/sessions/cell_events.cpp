#include "gateway/sessions/cell_events.hpp"

#include <nlohmann/json.hpp>

namespace gateway::sessions {
namespace {

using nlohmann::json;

// Text of a kernel is UTF-8 as far as it was checked; what is not must not end the request.
std::string dump(const json& what) { return what.dump(-1, ' ', false, json::error_handler_t::replace); }

json time_or_null(const std::optional<wall_clock::time_point>& when) {
    return when ? json(iso8601(*when)) : json(nullptr);
}

json error_or_null(const std::optional<cell_error>& error) {
    if (!error) return nullptr;
    return {{"ename", error->ename}, {"evalue", error->evalue}, {"traceback", error->traceback}};
}

void add_step(json& to, const cell& from) {
    if (!from.current_step.empty()) to["current_step"] = from.current_step;
    if (from.current_step_metric.empty()) return;
    auto metric = json::parse(from.current_step_metric, nullptr, false);
    if (!metric.is_discarded()) to["current_step_metric"] = std::move(metric);
}

}  // namespace

json cell_summary(const cell& from) {
    json made = {
        {"cell_id", from.id},
        {"origin", to_string(from.sent_by)},
        {"seq_first", from.seq_first},
        {"seq_last", from.seq_last},
        {"status", to_string(from.status)},
        {"execution_count", from.execution_count ? json(*from.execution_count) : json(nullptr)},
        {"error", error_or_null(from.error)},
        {"corrections", json::array()},
        {"installed", json::array()},
        {"truncated", json::object()},
        {"started_at", time_or_null(from.started_at)},
        {"duration_ms", from.duration.count()},
        {"kernel_restarted", from.kernel_restarted},
    };
    if (from.reason != cell_reason::none) made["reason"] = to_string(from.reason);
    if (!from.out.file.empty()) made["truncated"]["stdout"] = from.out.file;
    if (!from.err.file.empty()) made["truncated"]["stderr"] = from.err.file;
    add_step(made, from);
    return made;
}

std::string cell_queued_body(const cell& from) {
    json made = {{"cell_id", from.id},
                 {"origin", to_string(from.sent_by)},
                 {"code", from.code},
                 {"store_history", from.store_history}};
    add_step(made, from);
    return dump(made);
}

std::string cell_started_body(const cell& from) {
    return dump(
        {{"cell_id", from.id}, {"origin", to_string(from.sent_by)}, {"started_at", time_or_null(from.started_at)}});
}

std::string cell_finished_body(const cell& from) { return dump(cell_summary(from)); }

std::string kernel_status_body(const std::string& state, const std::string& reason) {
    json made = {{"state", state}};
    if (!reason.empty()) made["reason"] = reason;
    return dump(made);
}

}  // namespace gateway::sessions
