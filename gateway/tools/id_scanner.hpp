// Finds the "id" of a JSON-RPC message that is too large to keep or cannot be parsed, while its bytes go by. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace gateway::tools {

class id_scanner {
  public:
    void feed(std::string_view bytes);
    // The unsigned number that the outermost object's "id" has; nothing when it is missing or anything else.
    std::optional<std::uint64_t> id() const { return id_; }
    // Whether the outermost object has a member of that name: "jsonrpc", "method".
    bool has(std::string_view name) const { return keys_.find(name) != keys_.end(); }

  private:
    void take(char letter);
    void take_in_string(char letter);
    void end_of_value();

    int depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
    bool after_colon_ = false;  // at depth 1: what follows is a value
    std::string text_;          // the current string or bare value at depth 1, its beginning only
    std::string key_;
    std::set<std::string, std::less<>> keys_;
    std::optional<std::uint64_t> id_;
};

}  // namespace gateway::tools
