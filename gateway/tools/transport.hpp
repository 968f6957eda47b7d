// How messages travel to one MCP server and back. Owned by its peer; io thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/base/async.hpp"

namespace gateway::tools {

// What a transport tells its peer, which outlives it.
class transport_listener {
  public:
    // A text from the server: one message, or several in an array. `asked`: the request that it came back for, where
    // the transport knows; an answer that nobody can read is its answer then, and else everybody's.
    virtual awaitable<void> on_text(std::string text, std::optional<std::uint64_t> asked) = 0;
    // The answer to request `number` will not come.
    virtual void on_lost(std::uint64_t number, failure why) = 0;
    // Whether request `number` still waits for its answer.
    virtual bool is_waiting(std::uint64_t number) const = 0;

  protected:
    ~transport_listener() = default;
};

class transport {
  public:
    virtual ~transport() = default;
    // Starts the program (stdio), or looks at the URL (HTTP). Once, before everything else.
    virtual result<void> open(transport_listener& to) = 0;
    // Reads until the server is gone or interrupt() was called, and says why. Not to be cancelled.
    virtual awaitable<failure> run() = 0;
    virtual void interrupt(failure why) = 0;
    // Sends one message; `number` is that of a request. A failure means that no answer will come: with `unavailable`
    // the server has not seen the message, and will not see another one. Over HTTP this lasts until the answer was
    // given to the listener, at most `limit`.
    virtual awaitable<result<void>> send(std::string message, std::optional<std::uint64_t> number,
                                         milliseconds limit) = 0;
    // The handshake is over: every further message carries the revision (Streamable HTTP).
    virtual void on_initialized(const std::string& protocol) = 0;
    // After run(): ends the server politely, then by force; bounded. `at_once` leaves politeness out. Must be awaited
    // before the transport goes.
    virtual awaitable<void> close(bool at_once) = 0;
};

}  // namespace gateway::tools
