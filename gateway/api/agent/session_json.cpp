#include "gateway/api/agent/session_json.hpp"

#include <nlohmann/json.hpp>

#include "gateway/api/agent/json_text.hpp"
#include "gateway/api/agent/network_json.hpp"
#include "gateway/sessions/json_reading.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

// Whole seconds without a fraction, as they were most likely sent.
json to_seconds(milliseconds duration) {
    if (duration.count() % 1000 == 0) return duration.count() / 1000;
    return static_cast<double>(duration.count()) / 1000;
}

json seconds_or_null(const std::optional<milliseconds>& duration) {
    return duration ? to_seconds(*duration) : json(nullptr);
}

json to_object(sessions::correction_mode mode) { return json::parse(sessions::to_json(mode)); }

json number_or_null(std::int64_t number) { return number > 0 ? json(number) : json(nullptr); }

json to_cpus(std::int64_t millis) {
    if (millis % 1000 == 0) return number_or_null(millis / 1000);
    return static_cast<double>(millis) / 1000;
}

// Whether there is one, and the machine keeps the sandbox to it; and whether it has Landlock.
json limits_object(const sessions::sandbox_size& from) {
    return {{"cpu", from.cpu_holds && from.cpu_millis > 0},     {"memory", from.memory_holds && from.memory_bytes > 0},
            {"pids", from.pids_holds && from.pids > 0},         {"disk", from.disk_holds && from.disk_bytes > 0},
            {"files", from.disk_holds && from.files_bytes > 0}, {"landlock", from.landlock}};
}

// What the client set, and what counts where it set nothing.
json sandbox_object(const sessions::session& from) {
    auto made = sessions::parse_object(from.options().sandbox);
    made["enable"] = from.has_sandbox();
    made["sandbox_size"] = from.size().name;
    made["cpus"] = to_cpus(from.size().cpu_millis);
    made["memory_bytes"] = number_or_null(from.size().memory_bytes);
    made["disk_bytes"] = number_or_null(from.size().disk_bytes);
    made["files_bytes"] = number_or_null(from.size().files_bytes);
    return made;
}

// What the session's cells used of the model.
json tokens_object(const tools::meter& model) {
    return {{"prompt", model.tokens().prompt}, {"completion", model.tokens().completion}, {"calls", model.calls()}};
}

}  // namespace

json session_object(const sessions::session& from) {
    const auto& options = from.options();
    const auto of_agents = from.settings_for(sessions::origin::agent);
    const auto of_people = from.settings_for(sessions::origin::jupyter);
    json made = {
        {"id", from.id()},
        {"name", from.name()},
        {"user_id", options.user_id},
        {"origin", to_string(options.made_by)},
        {"state", to_string(from.state())},
        {"kernel", {{"id", from.kernel_id()}, {"name", from.spec().name}}},
        {"created_at", iso8601(from.created_at())},
        {"last_activity", iso8601(from.last_activity())},
        {"cell_timeout_s", to_seconds(from.cell_timeout())},
        {"idle_timeout_s", seconds_or_null(options.idle_timeout)},
        {"lifetime_s", seconds_or_null(options.lifetime)},
        {"error_correction", to_object(of_agents.error_correction)},
        {"jupyter_error_correction", to_object(of_people.error_correction)},
        {"install", of_agents.install},
        {"jupyter_install", of_people.install},
        {"sandbox", sandbox_object(from)},
        {"limits", limits_object(from.size())},
        {"network", network_object(from)},
        {"connections", {{"jupyter", from.connections()}, {"agents", from.agent_sockets()}}},
        {"restarts", from.restarts()},
        {"tokens", tokens_object(from.meters()->model)},
    };
    if (const auto& step = from.step(); !step.name.empty()) {
        made["current_step"] = step.name;
        if (!step.metric.empty()) made["current_step_metric"] = json::parse(step.metric);
    }
    if (from.reason() != sessions::cell_reason::none) made["reason"] = to_string(from.reason());
    if (!from.failure_text().empty()) made["failure"] = from.failure_text();
    return made;
}

std::string session_json(const sessions::session& from) { return dump(session_object(from)); }

json pending_input_object(const sessions::session& from) {
    auto waiting = from.pending_input();
    if (!waiting) return nullptr;
    return {{"cell_id", waiting->cell_id.empty() ? json(nullptr) : json(waiting->cell_id)},
            {"prompt", waiting->prompt},
            {"password", waiting->password}};
}

std::string status_json(sessions::session& from) {
    auto made = session_object(from);
    made["first_seq"] = from.log().first_seq();
    made["last_seq"] = from.log().last_seq();
    made["pending_input"] = pending_input_object(from);
    return dump(made);
}

}  // namespace gateway::api::agent
