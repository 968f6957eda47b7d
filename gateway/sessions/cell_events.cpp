#include "gateway/sessions/cell_events.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "gateway/sessions/object_text.hpp"

namespace gateway::sessions {
namespace {

using messaging::quote;
using nlohmann::json;

std::string time_or_null(const std::optional<wall_clock::time_point>& when) {
    return when ? quote(iso8601(*when)) : "null";
}

std::string error_or_null(const std::optional<cell_error>& error) {
    if (!error) return "null";
    std::string lines;
    for (const auto& line : error->traceback) lines += (lines.empty() ? "" : ",") + quote(line);
    object_text made;
    made.add_text("ename", error->ename);
    made.add_text("evalue", error->evalue);
    made.add_json("traceback", "[" + lines + "]");
    return made.finish();
}

void add_correction(object_text& to, const correction& from) {
    to.add_json("line", std::to_string(from.line));
    to.add_json("column", std::to_string(from.column));
    to.add_text("written", from.written);
    to.add_text("used", from.used);
    to.add_text("kind", from.kind);
}

std::string corrections(const cell& from) {
    std::string all;
    for (const auto& each : from.corrections) {
        object_text made;
        add_correction(made, each);
        all += (all.empty() ? "" : ",") + made.finish();
    }
    return "[" + all + "]";
}

std::string installed(const cell& from) {
    std::string all;
    for (const auto& each : from.installed) {
        object_text made;
        made.add_text("name", each.name);
        made.add_text("version", each.version);
        if (!each.module.empty()) made.add_text("module", each.module);
        all += (all.empty() ? "" : ",") + made.finish();
    }
    return "[" + all + "]";
}

std::string truncated(const cell& from) {
    object_text made;
    if (!from.out.file.empty()) made.add_text("stdout", from.out.file);
    if (!from.err.file.empty()) made.add_text("stderr", from.err.file);
    return made.finish();
}

void add_step(object_text& to, const cell& from) {
    if (!from.current_step.empty()) to.add_text("current_step", from.current_step);
    if (from.current_step_metric.empty()) return;
    auto metric = json::parse(from.current_step_metric, nullptr, false);
    if (!metric.is_discarded()) to.add_json("current_step_metric", metric.dump());
}

}  // namespace

json cell_summary(const cell& from) { return json::parse(cell_finished_body(from)); }

std::string cell_queued_body(const cell& from) {
    object_text made;
    made.add_text("cell_id", from.id);
    made.add_text("origin", to_string(from.sent_by));
    made.add_text("code", from.code);
    made.add_bool("store_history", from.store_history);
    add_step(made, from);
    return made.finish();
}

std::string cell_started_body(const cell& from) {
    object_text made;
    made.add_text("cell_id", from.id);
    made.add_text("origin", to_string(from.sent_by));
    made.add_json("started_at", time_or_null(from.started_at));
    return made.finish();
}

std::string cell_finished_body(const cell& from) {
    object_text made;
    made.add_text("cell_id", from.id);
    made.add_text("origin", to_string(from.sent_by));
    made.add_json("seq_first", std::to_string(from.seq_first));
    made.add_json("seq_last", std::to_string(from.seq_last));
    made.add_text("status", to_string(from.status));
    if (from.reason != cell_reason::none) made.add_text("reason", to_string(from.reason));
    made.add_json("execution_count", from.execution_count ? std::to_string(*from.execution_count) : "null");
    made.add_json("error", error_or_null(from.error));
    made.add_json("corrections", corrections(from));
    made.add_json("installed", installed(from));
    made.add_json("truncated", truncated(from));
    made.add_json("started_at", time_or_null(from.started_at));
    made.add_json("duration_ms", std::to_string(from.duration.count()));
    made.add_bool("kernel_restarted", from.kernel_restarted);
    add_step(made, from);
    return made.finish();
}

std::string correction_body(const cell& of, const correction& from) {
    object_text made;
    made.add_text("cell_id", of.id);
    add_correction(made, from);
    return made.finish();
}

std::string kernel_status_body(const std::string& state, const std::string& reason) {
    object_text made;
    made.add_text("state", state);
    if (!reason.empty()) made.add_text("reason", reason);
    return made.finish();
}

}  // namespace gateway::sessions
