#include "gateway/api/agent/command_calls.hpp"

#include <fmt/format.h>

#include "gateway/sessions/command_events.hpp"

namespace gateway::api::agent {
namespace {

constexpr std::size_t most_name_bytes = 32;
constexpr std::size_t most_data_bytes = 1u << 20;

}  // namespace

signal_call parse_signal(fields& from) {
    signal_call made;
    auto name = from.required_text("signal", most_name_bytes);
    made.number = sessions::signal_number(name);
    if (made.number == 0)
        from.refuse(fmt::format("signal {} is none: give a name such as SIGINT, SIGTERM or SIGKILL", shown(name)));
    return made;
}

stdin_call parse_stdin(fields& from) {
    stdin_call made;
    auto data = from.text("data", most_data_bytes);
    made.eof = from.flag("eof", false);
    if (!data && !made.eof) from.refuse("give data, a text for the command's stdin, or eof: true to close it");
    made.data = data.value_or("");
    return made;
}

}  // namespace gateway::api::agent
