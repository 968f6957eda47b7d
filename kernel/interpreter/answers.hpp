// Who answers requests: the Python side of the kernel, or for the control channel what needs no Python. All JSON is
// text.
#pragma once

#include <optional>
#include <string>

#include "messaging/message.hpp"

namespace kernel {

struct cell {
    std::string code;
    bool silent = false;
    bool store_history = true;
    std::string user_expressions = "{}";
    bool allow_stdin = true;
};

// Called on the thread of one shell, one request after another. Nothing throws: what goes wrong is an error reply.
class answers {
  public:
    virtual ~answers() = default;

    // Around every request; what is output between belongs to it.
    virtual void enter(const messaging::message& request) = 0;
    virtual void leave() = 0;

    // The number of the next cell that is counted.
    virtual int next_count() = 0;
    // Contents of replies.
    virtual std::string execute(const cell& what) = 0;
    virtual std::string complete(const std::string& code, int cursor_position) = 0;
    virtual std::string inspect(const std::string& code, int cursor_position, int detail_level) = 0;
    virtual std::string is_complete(const std::string& code) = 0;
    virtual std::string history(const std::string& content) = 0;
    virtual std::string info() = 0;
    // Any other request or message; nothing when it has no reply.
    virtual std::optional<std::string> handle(const std::string& type, const messaging::message& request) = 0;
};

}  // namespace kernel
