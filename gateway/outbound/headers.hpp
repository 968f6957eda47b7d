// Header fields of a request or an answer, in order. Values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::outbound {

using headers = std::vector<std::pair<std::string, std::string>>;

// The first field of that name, in any case; empty when there is none. It refers into `fields`.
std::string_view find_header(const headers& fields, std::string_view name);
// A token and a value as RFC 9110 has them: nothing that could begin another line.
bool is_valid_header(std::string_view name, std::string_view value);

}  // namespace gateway::outbound
