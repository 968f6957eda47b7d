#include "gateway/sessions/command_events.hpp"

#include <string.h>

#include <cctype>
#include <csignal>
#include <nlohmann/json.hpp>
#include <vector>

#include "gateway/sessions/object_text.hpp"

namespace gateway::sessions {
namespace {

using messaging::quote;

std::string list_of(const std::vector<std::string>& texts) {
    std::string all;
    for (const auto& each : texts) all += (all.empty() ? "" : ",") + quote(each);
    return "[" + all + "]";
}

std::string left_open(const command& from) {
    std::vector<std::string> names;
    for (auto each : from.left_open) names.emplace_back(to_string(each));
    return list_of(names);
}

std::string truncated(const command& from) {
    object_text made;
    if (!from.out.file.empty()) made.add_text("stdout", from.out.file);
    if (!from.err.file.empty()) made.add_text("stderr", from.err.file);
    return made.finish();
}

// What it was started with.
void add_beginning(object_text& to, const command& from) {
    to.add_text("command_id", from.id);
    to.add_json("command", from.text.empty() ? "null" : quote(from.text));
    to.add_json("argv", list_of(from.argv));
    to.add_text("cwd", from.working_dir);
    to.add_bool("background", from.background);
    to.add_json("timeout_s", from.timeout.count() > 0 ? nlohmann::json(from.timeout.count() / 1000.0).dump() : "null");
    to.add_text("started_at", iso8601(from.started_at));
}

}  // namespace

std::string signal_name(int number) {
    const char* known = sigabbrev_np(number);
    return "SIG" + (known != nullptr ? std::string(known) : std::to_string(number));
}

int signal_number(std::string_view name) {
    std::string wanted;
    for (char each : name) wanted += static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
    if (!wanted.starts_with("SIG")) wanted = "SIG" + wanted;
    for (int number = 1; number < NSIG; ++number)
        if (signal_name(number) == wanted) return number;
    return 0;
}

nlohmann::json command_summary(const command& from) { return nlohmann::json::parse(command_finished_body(from)); }

std::string command_started_body(const command& from) {
    object_text made;
    add_beginning(made, from);
    return made.finish();
}

std::string command_output_body(const command& from, command_stream which, std::string_view text) {
    object_text made;
    made.add_text("command_id", from.id);
    made.add_text("name", to_string(which));
    made.add_text("text", text);
    return made.finish();
}

std::string command_finished_body(const command& from) {
    object_text made;
    add_beginning(made, from);
    made.add_json("seq_first", std::to_string(from.seq_first));
    made.add_json("seq_last", std::to_string(from.seq_last));
    made.add_text("status", to_string(from.status));
    if (from.reason != cell_reason::none) made.add_text("reason", to_string(from.reason));
    made.add_json("exit_code", from.exit_code ? std::to_string(*from.exit_code) : "null");
    made.add_json("signal", from.signal ? quote(signal_name(*from.signal)) : "null");
    made.add_json("left_open", left_open(from));
    made.add_json("truncated", truncated(from));
    made.add_json("duration_ms", std::to_string(from.duration.count()));
    return made.finish();
}

}  // namespace gateway::sessions
