// The members of a JSON object by name, found in one pass over its text; no value is built but the one that is asked
// for, so that a member of hundreds of megabytes costs only its scan. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messaging/json_scanner.hpp"

namespace messaging {

class json_members {
  public:
    // `object` outlives this. A text that is no object, or nested beyond max_json_depth, has no members.
    explicit json_members(std::string_view object);

    std::size_t size() const { return members_.size(); }
    bool contains(std::string_view name) const;
    // The member's JSON text; empty when it is not there. Of a repeated name the last counts.
    std::string_view value(std::string_view name) const;
    // "" when there is no string of that name; always valid UTF-8.
    std::string text(std::string_view name) const;
    bool is_text(std::string_view name) const;
    // Whether it is there and true.
    bool is_true(std::string_view name) const;
    std::optional<int> integer(std::string_view name) const;

  private:
    const json_member* find(std::string_view name) const;

    std::vector<json_member> members_;
};

}  // namespace messaging
