// The text of a JSON object, member by member: every cell has three events, and building their JSON first would cost
// more than all else that the session does for a cell. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "messaging/json_string.hpp"

namespace gateway::sessions {

class object_text {
  public:
    void add_json(const char* key, std::string_view json_text) {
        text_.append(1, text_.empty() ? '{' : ',').append(1, '"').append(key).append("\":").append(json_text);
    }
    void add_bool(const char* key, bool value) { add_json(key, value ? "true" : "false"); }
    void add_text(const char* key, std::string_view value) { add_json(key, messaging::quote(value)); }
    std::string finish() { return text_.empty() ? "{}" : std::move(text_) + "}"; }

  private:
    std::string text_;
};

}  // namespace gateway::sessions
