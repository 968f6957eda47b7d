// A command: a program that a client runs in a session's box, beside its cells. A value, kept by its session; io
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/ids.hpp"
#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

// What a client asks for.
struct command_options {
    std::vector<std::string> argv;  // passed on exactly; empty: bash -c reads `text`
    std::string text;
    std::string working_dir;                 // a relative one is below the kernel's; empty: the kernel's
    std::map<std::string, std::string> env;  // over the kernel's
    std::optional<milliseconds> timeout;     // none: configured; 0: no deadline
    std::string input;                       // its stdin begins with that
    bool stdin_stays_open = false;           // for write_stdin(); else stdin ends there
    bool background = false;                 // told to clients, nothing else
};

struct command_limits {
    milliseconds grace{2'000};  // from SIGTERM at the deadline to SIGKILL
    milliseconds drain{1'000};  // for output, when the main process has ended
    milliseconds death{5'000};  // from SIGKILL to an end without the process (it sleeps in the system)
    milliseconds loss{10'000};  // from its box's end to the kernel's news of it
};

enum class command_stream : std::uint8_t { out, err };
const char* to_string(command_stream which);  // "stdout", "stderr"

struct command {
    std::string id;  // "cmd_…"
    std::uint64_t seq_first = 0;
    std::uint64_t seq_last = 0;
    cell_status status = cell_status::running;  // running, then ok, error, timeout, interrupted or lost
    cell_reason reason = cell_reason::none;     // of timeout and lost
    std::vector<std::string> argv;              // of bash too
    std::string text;                           // what bash reads; empty when argv is the client's
    std::string working_dir;                    // as asked
    bool background = false;
    milliseconds timeout{0};       // 0: none
    std::optional<int> exit_code;  // of its main process, or
    std::optional<int> signal;     // what ended that
    kept_text out;
    kept_text err;
    std::vector<command_stream> left_open;  // held by what it started and left, when it had ended
    wall_clock::time_point started_at;
    std::optional<wall_clock::time_point> ended_at;
    milliseconds duration{0};

    kept_text& text_of(command_stream which) { return which == command_stream::out ? out : err; }
};

}  // namespace gateway::sessions
