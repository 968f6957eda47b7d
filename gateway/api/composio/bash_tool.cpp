#include "gateway/api/composio/bash_tool.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/cell_text.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/sessions/command_events.hpp"

namespace gateway::api::composio {
namespace {

std::string with_hint(const sessions::kept_text& from) {
    if (from.file.empty()) return from.head;
    return fmt::format(
        "{0}\n... (output truncated, full output saved to: {1})\nRun 'cat {1}' to view the full output, or use "
        "'head -n 100 {1}' / 'tail -n 100 {1}' to view parts of it.",
        from.head, from.file);
}

tool_outcome outcome_of(const sessions::session& in, const sessions::command& ended, const json& arguments) {
    tool_outcome made;
    made.log_id = make_id("log_");
    made.error = why_stopped(ended);
    json data = {{"stdout", with_hint(ended.out)},     {"stdoutLines", ended.out.lines},
                 {"stderr", with_hint(ended.err)},     {"stderrLines", ended.err.lines},
                 {"session", session_echo(arguments)}, {"sandbox_id_suffix", sandbox_suffix(in)}};
    if (ended.exit_code) data["exit_code"] = *ended.exit_code;
    if (ended.signal) data["signal"] = sessions::signal_name(*ended.signal);
    if (!ended.out.file.empty()) data["stdout_file_path"] = ended.out.file;
    if (!ended.err.file.empty()) data["stderr_file_path"] = ended.err.file;
    made.data = to_text(data);
    return made;
}

}  // namespace

std::string why_stopped(const sessions::command& what) {
    using enum sessions::cell_status;
    switch (what.status) {
        case timeout:
            return fmt::format(
                "the command ran into its deadline after {:.1f} s and was stopped; files in /mnt/files are kept",
                static_cast<double>(what.duration.count()) / 1000);
        case interrupted:
            return "the command was stopped by a signal";
        case lost:
            return fmt::format("the command was lost: the sandbox ended ({}){}", to_string(what.reason),
                               kept_after(what.reason));
        default:
            return "";
    }
}

awaitable<result<sessions::shared_command>> run_command(shared_session in, sessions::command_options what,
                                                        std::function<void(const std::string&)> begun) {
    if (in->state() == sessions::session_state::dead) {
        auto again = co_await in->restart();
        if (!again) co_return again.error();
    }
    auto started = co_await in->commands().start(std::move(what));
    if (!started) co_return started.error();
    if (begun) begun(started->cell_id);
    co_return co_await in->commands().wait_for(started->cell_id);
}

awaitable<tool_outcome> run_bash(shared_session in, tools::shared_json arguments,
                                 std::function<void(const std::string&)> begun) {
    sessions::command_options options;
    options.text = text_member(*arguments, "command");
    bool was_begun = false;
    std::function<void(const std::string&)> tell = [&was_begun, &begun](const std::string& id) {
        was_begun = true;
        if (begun) begun(id);
    };
    auto ended = co_await run_command(in, std::move(options), std::move(tell));
    if (ended) co_return outcome_of(*in, **ended, *arguments);
    auto refused = refused_outcome(ended.error());
    if (was_begun) refused.refused.reset();
    co_return refused;
}

}  // namespace gateway::api::composio
