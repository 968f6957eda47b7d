#include "gateway/sessions/start_failure.hpp"

#include <fmt/core.h>

#include "messaging/utf8.hpp"

namespace gateway::sessions {
namespace {

std::string end_of(const std::string& cause) {
    if (cause.size() <= most_cause_bytes) return cause;
    std::size_t from = cause.size() - most_cause_bytes;
    while (!messaging::begins_character(cause[from])) ++from;
    return "…" + cause.substr(from);
}

}  // namespace

cell_error start_failure(const std::string& cause) {
    std::string text = "the kernel did not start";
    if (!cause.empty()) text += ": " + end_of(cause);
    return {"DeadKernelError", std::move(text), {}};
}

std::string dead_session_message(const std::string& session_id, cell_reason reason, const std::string& cause) {
    auto text = fmt::format("the session {} is dead ({}); restart it or make another", session_id, to_string(reason));
    if (reason == cell_reason::start_failed && !cause.empty()) text += "; why it did not start: " + end_of(cause);
    return text;
}

}  // namespace gateway::sessions
