#include "gateway/api/agent/bash_request.hpp"

#include "gateway/api/agent/fields.hpp"

namespace gateway::api::agent {
namespace {

// Linux takes no longer argument, its final NUL counted.
constexpr std::size_t most_argument_bytes = (128u << 10) - 1;
constexpr std::size_t most_list_bytes = 256u << 10;
constexpr std::size_t most_path_bytes = 4096;
constexpr std::size_t most_input_bytes = 1u << 20;

void take_program(fields& from, sessions::command_options& into) {
    auto text = from.text("command", most_argument_bytes);
    auto argv = from.text_list("argv", most_list_bytes);
    if (text.has_value() == argv.has_value())
        return from.refuse("give either command, a text that bash reads, or argv, a list of exact arguments");
    if (argv && argv->empty()) return from.refuse("argv is empty: its first text names a program");
    if (text && text->empty()) return from.refuse("command is empty: give a text that bash reads");
    into.text = text.value_or("");
    if (argv) into.argv = std::move(*argv);
}

}  // namespace

result<sessions::command_options> parse_bash(request_object& object, bash_form form) {
    fields from(object);
    sessions::command_options made;
    take_program(from, made);
    made.working_dir = from.text("cwd", most_path_bytes).value_or("");
    made.env = from.texts("env", most_list_bytes);
    made.timeout = from.seconds("timeout_s");
    made.background = from.flag("background", false);
    auto input = from.text_or_flag("stdin", most_input_bytes);
    made.input = input.text.value_or("");
    made.stdin_stays_open = input.flag.value_or(!input.text && form == bash_form::socket);
    if (auto good = from.finish(); !good) return good.error();
    return made;
}

}  // namespace gateway::api::agent
