#include "gateway/api/composio/workbench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/cell_text.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/base/ids.hpp"

namespace gateway::api::composio {
namespace {

constexpr double longest_seconds = 780;  // what clients of the tool router may ask for

// What an agent must know before it trusts its variables.
std::string restart_notice(const workbench_parts& with) {
    const auto now = with.session->restarts();
    auto [seen, is_first] = with.seen.emplace(with.session->id(), 0);
    if (std::exchange(seen->second, now) == now) return "";
    return "[cellgate: the sandbox was restarted since the last call: variables and imports are gone, files in "
           "/mnt/files are kept]\n";
}

sessions::execute_options options_of(const json& arguments, milliseconds limit) {
    sessions::execute_options made;
    made.code = text_member(arguments, "code_to_execute");
    made.allow_stdin = false;
    made.current_step = text_member(arguments, "current_step");
    const auto& metric = member(arguments, "current_step_metric");
    if (metric.is_string()) made.current_step_metric = to_text(metric);
    const auto& timeout = member(arguments, "timeout");
    if (timeout.is_number()) {
        auto asked = std::min(timeout.get<double>(), longest_seconds) * 1000;
        made.timeout = std::max(milliseconds(static_cast<long long>(asked)), milliseconds(1));
        if (limit > milliseconds(0)) made.timeout = std::min(*made.timeout, limit);  // 0: cells have no deadline
    }
    return made;
}

awaitable<tool_outcome> outcome_of(workbench_parts with, std::shared_ptr<const sessions::cell> ended,
                                   tools::shared_json arguments, std::string notice) {
    tool_outcome made;
    made.log_id = make_id("log_");
    auto shown = co_await read_cell(with.session, *ended, with.options);
    json data = {{"results", shown.results},
                 {"stdout", text_with_trailer(ended->out.head, ended->out.file)},
                 {"stderr", notice + text_with_trailer(ended->err.head, ended->err.file)},
                 {"session", session_echo(*arguments)},
                 {"sandbox_id_suffix", sandbox_suffix(*with.session)}};
    if (!shown.results_file.empty()) data["results_file_path"] = shown.results_file;
    if (!ended->out.file.empty()) data["stdout_file_path"] = ended->out.file;
    if (!ended->err.file.empty()) data["stderr_file_path"] = ended->err.file;
    made.error = why_failed(*ended);
    data["error"] = made.error;
    if (ended->error) data["stderr"] = data["stderr"].get<std::string>() + traceback_text(*ended->error);
    made.images = std::move(shown.images);
    made.data = to_text(data);
    co_return made;
}

}  // namespace

json session_echo(const json& arguments) {
    auto id = text_member(arguments, "session_id");
    if (id.empty()) id = text_member(member(arguments, "session"), "id");
    if (id.empty()) id = "task_" + random_hex(4);
    return {{"id", id}, {"instructions", "Give this id as session_id in the other calls of this task."}};
}

std::string sandbox_suffix(const sessions::session& of) {
    const auto& id = of.kernel_id();
    return id.substr(id.size() - std::min<std::size_t>(2, id.size())) + fmt::format("{:02x}", of.restarts() & 0xff);
}

awaitable<result<std::shared_ptr<const sessions::cell>>> run_cell(shared_session in, sessions::execute_options what,
                                                                  std::function<void(const std::string&)> queued) {
    if (in->state() == sessions::session_state::dead) {
        auto again = co_await in->restart();
        if (!again) co_return again.error();
    }
    auto sent = in->execute(std::move(what));
    if (!sent) co_return sent.error();
    if (queued) queued(sent->cell_id);
    co_return co_await in->wait_for(sent->cell_id);
}

awaitable<tool_outcome> run_workbench(workbench_parts with, tools::shared_json arguments) {
    std::string notice;
    bool was_queued = false;
    std::function<void(const std::string&)> queued = [&](const std::string& cell_id) {
        was_queued = true;
        notice = restart_notice(with);
        if (with.queued) with.queued(cell_id);
    };
    auto options = options_of(*arguments, with.session->cell_timeout());
    auto ended = co_await run_cell(with.session, std::move(options), std::move(queued));
    if (!ended) {
        auto made = refused_outcome(ended.error());
        if (was_queued) made.refused.reset();
        co_return made;
    }
    if ((*ended)->kernel_restarted) with.seen[with.session->id()] = with.session->restarts();
    auto cell = *ended;
    co_return co_await outcome_of(std::move(with), std::move(cell), std::move(arguments), std::move(notice));
}

}  // namespace gateway::api::composio
