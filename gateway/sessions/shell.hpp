// The commands of a session: programs in its box, beside its cells, each an entry of its output log. Owned by the
// session, io thread.
//
// For whoever runs one and wants its end (MCP, the Composio meta tools):
//
//     auto done = co_await session->commands().run(std::move(options));
//
// gives the command as it ended, with the kept head of its stdout and stderr (out.head, err.head) and, where that is
// not all, the file in /mnt/files that has it all (out.file, err.file).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/sessions/command.hpp"
#include "gateway/sessions/submitted.hpp"

namespace gateway::sessions {

using shared_command = std::shared_ptr<const command>;

struct shell_limits {
    milliseconds timeout{180'000};  // of a command that names none; 0: none
    std::size_t running = 32;       // at once; and as many that have ended, but left something that holds their output
    std::size_t kept = 1'000;       // of those that have ended
    command_limits ends;
};

class shell {
  public:
    virtual ~shell() = default;

    // Waits for the kernel, and returns when the command runs. session_dead; limit_reached names the setting;
    // invalid_request says why it cannot be started: no such program, no such directory, …
    virtual awaitable<result<submitted>> start(command_options what) = 0;
    // start(), then wait_for(). A caller that is cancelled does not end the command.
    awaitable<result<shared_command>> run(command_options what);
    // The command once it has ended; command_not_found.
    virtual awaitable<result<shared_command>> wait_for(std::string command_id) = 0;
    virtual shared_command find(const std::string& command_id) const = 0;  // null when unknown
    // Those with seq_first > after, in order. Of those that have ended, the newest 1,000 are kept.
    virtual std::vector<shared_command> list(std::uint64_t after, std::size_t limit) const = 0;
    // To its process group. command_not_found, command_not_running.
    virtual result<void> signal(const std::string& command_id, int number) = 0;
    // To its stdin, which `eof` closes. command_not_found, command_not_running; conflict when its stdin is closed,
    // limit_reached when it does not read.
    virtual result<void> write(const std::string& command_id, std::string data, bool eof) = 0;
    virtual std::size_t running() const = 0;
};

}  // namespace gateway::sessions
