// The bytes that wait to be written to one ZMTP connection. A value; one owner.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <deque>
#include <span>
#include <string>

namespace messaging {

class outbox {
  public:
    // A whole message: outlives the connection.
    void add(std::string message);
    // Of this connection only (greeting, commands, the subscription): before the messages, but not inside of one.
    void add_first(std::string bytes);
    bool has_first() const;

    // Fills `into` with what to write next; messages only when `with_messages`. The number of entries filled.
    std::size_t gather(std::span<iovec> into, bool with_messages);
    void wrote(std::size_t bytes);
    // The connection is gone: what was of it alone goes, a message that was written in part begins anew.
    void start_over();

  private:
    struct chunk {
        std::string bytes;
        bool is_first = false;
    };
    std::deque<chunk> chunks_;
    std::size_t written_ = 0;  // of the chunk in front
};

}  // namespace messaging
