#include "gateway/sessions/kept_cell.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/json_reading.hpp"
#include "gateway/sessions/text_keeper.hpp"
#include "messaging/utf8.hpp"

namespace gateway::sessions {
namespace {

using nlohmann::json;

constexpr std::size_t most_code_bytes = 256u << 10;
constexpr std::size_t most_text_bytes = 256u << 10;
constexpr std::size_t most_result_bytes = 64u << 10;
constexpr std::size_t most_summary_bytes = 256u << 10;
constexpr const char* result_left_out =
    R"({"data":{"text/plain":"[cellgate: this result was too large to be kept when the gateway started again]"},)"
    R"("metadata":{}})";
constexpr const char* why_cut = "the gateway has started again since, and keeps no more than that";

std::string first_part(const std::string& text) {
    if (text.size() <= most_text_bytes) return text;
    return std::string(messaging::first_bytes(text, most_text_bytes)) + cut_note("the rest is not kept", why_cut);
}

// Without what may be long in it: the traceback, corrections, what was installed.
std::string short_summary(cell from) {
    if (from.error) from.error->traceback.clear();
    if (from.error) from.error->evalue = first_part(from.error->evalue);
    from.corrections.clear();
    from.installed.clear();
    from.current_step_metric.clear();
    return cell_finished_body(from);
}

template <class Word, std::size_t count>
Word word_of(const json& object, const char* name, const std::array<Word, count>& all, Word otherwise) {
    const auto text = text_of(object, name);
    for (auto each : all)
        if (text == to_string(each)) return each;
    return otherwise;
}

cell_status status_of(const json& from) {
    using enum cell_status;
    return word_of(from, "status", std::array{queued, running, ok, error, timeout, interrupted, cancelled, lost}, lost);
}

cell_reason reason_of(const json& from) {
    using enum cell_reason;
    return word_of(from, "reason",
                   std::array{deadline, oom, killed, crashed, restarted, start_failed, culled, session_ended,
                              gateway_ended, aborted},
                   none);
}

std::uint64_t number_of(const json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::optional<wall_clock::time_point> time_of(const json& object, const char* name) {
    const auto text = text_of(object, name);
    std::tm parts{};
    const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S.", &parts);
    if (!rest) return std::nullopt;
    int micros = 0;
    std::from_chars(rest, text.data() + text.size(), micros);
    return wall_clock::from_time_t(::timegm(&parts)) + std::chrono::microseconds(micros);
}

std::optional<cell_error> error_of(const json& from) {
    auto found = from.find("error");
    if (found == from.end() || !found->is_object()) return std::nullopt;
    cell_error made{text_of(*found, "ename"), text_of(*found, "evalue"), {}};
    if (auto lines = found->find("traceback"); lines != found->end() && lines->is_array())
        for (const auto& line : *lines)
            if (line.is_string()) made.traceback.push_back(line.get<std::string>());
    return made;
}

void read_lists(const json& from, cell& into) {
    if (auto found = from.find("corrections"); found != from.end() && found->is_array())
        for (const auto& each : *found)
            into.corrections.push_back({number_of(each, "line"), number_of(each, "column"), text_of(each, "written"),
                                        text_of(each, "used"), text_of(each, "kind")});
    if (auto found = from.find("installed"); found != from.end() && found->is_array())
        for (const auto& each : *found)
            into.installed.push_back({text_of(each, "name"), text_of(each, "version"), text_of(each, "module")});
}

void read_summary(const json& from, cell& into) {
    into.sent_by = text_of(from, "origin") == "jupyter" ? origin::jupyter : origin::agent;
    into.seq_last = number_of(from, "seq_last");
    into.status = status_of(from);
    into.reason = reason_of(from);
    if (auto count = from.find("execution_count"); count != from.end() && count->is_number_integer())
        into.execution_count = count->get<int>();
    into.error = error_of(from);
    read_lists(from, into);
    const auto truncated = object_of(from, "truncated");
    into.out.file = text_of(truncated, "stdout");
    into.err.file = text_of(truncated, "stderr");
    into.started_at = time_of(from, "started_at");
    into.duration = milliseconds(number_of(from, "duration_ms"));
    into.kernel_restarted = is_true(from, "kernel_restarted");
    into.current_step = text_of(from, "current_step");
    if (auto metric = from.find("current_step_metric"); metric != from.end()) into.current_step_metric = metric->dump();
}

void lose(cell& which, wall_clock::time_point now) {
    which.status = cell_status::lost;
    which.reason = cell_reason::gateway_ended;
    which.kernel_restarted = true;
    which.ended_at = now;
}

}  // namespace

std::size_t kept_cell::bytes() const {
    constexpr std::size_t row = 200;  // keys, numbers, index entries
    return row + summary.size() + code.size() + out.size() + err.size() + result.size() + metadata.size() +
           idempotency_key.size();
}

kept_cell keep(const cell& from, bool hidden, std::string summary, const std::string& result) {
    kept_cell made;
    made.id = from.id;
    made.seq_first = from.seq_first;
    made.ended = is_final(from.status);
    made.hidden = hidden;
    made.store_history = from.store_history;
    made.displays = static_cast<std::int64_t>(from.displays.size());
    made.idempotency_key = from.idempotency_key;
    made.queued_at = from.queued_at;
    made.ended_at = from.ended_at.value_or(from.queued_at);
    made.summary = std::move(summary);
    if (made.summary.size() > most_summary_bytes) made.summary = short_summary(from);
    // A key is good for the code it came with, which is compared.
    if (from.code.size() <= most_code_bytes || !from.idempotency_key.empty()) made.code = from.code;
    made.out = first_part(from.out.head);
    made.err = first_part(from.err.head);
    made.result = result.size() <= most_result_bytes ? result : result_left_out;
    if (from.metadata.size() <= most_result_bytes) made.metadata = from.metadata;
    return made;
}

cell restore(const kept_cell& from, wall_clock::time_point now) {
    cell made;
    made.id = from.id;
    made.seq_first = from.seq_first;
    made.store_history = from.store_history;
    made.idempotency_key = from.idempotency_key;
    made.queued_at = from.queued_at;
    if (from.ended) made.ended_at = from.ended_at;
    read_summary(parse_object(from.summary), made);
    made.code = from.code;
    made.out.head = from.out;
    made.err.head = from.err;
    if (!from.metadata.empty()) made.metadata = from.metadata;
    made.restored = true;
    made.kept_result = from.result;
    made.displays.assign(static_cast<std::size_t>(from.displays), cell_output{from.seq_first, "display_data", ""});
    if (!is_final(made.status)) lose(made, now);
    return made;
}

void leave_out_texts(kept_cell& from) {
    from.out.clear();
    from.err.clear();
    from.result.clear();
    from.metadata.clear();
}

}  // namespace gateway::sessions
