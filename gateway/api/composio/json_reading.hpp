// JSON of clients and tools, read member by member. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::api::composio {

using nlohmann::json;
using tools::text_member;
using tools::to_text;

// Of a body that has code or a tool's arguments, and of any other.
inline constexpr std::size_t most_call_bytes = 16u << 20;
inline constexpr std::size_t most_body_bytes = 1u << 20;

// null when it is not there, or `object` is none.
const json& member(const json& object, const char* name);

// Past this, taking a body apart can take a millisecond, which is the pool's then.
inline constexpr std::size_t work_for_pool = 64u << 10;

// too_large
result<void> check_size(const std::string& body, std::size_t most_bytes);
// A request's body; an empty one is {}. invalid_request, too_large.
result<tools::shared_json> read_body(const std::string& body, std::size_t most_bytes = most_body_bytes);

}  // namespace gateway::api::composio
