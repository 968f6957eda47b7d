// What is wrong with a text that should be JSON, in words for whoever sent it. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace messaging {

// Empty when `text` is one JSON value in UTF-8, at most max_json_depth deep, whose strings are whole characters and
// whose numbers fit. Reads with a parser (no document is built), so it is for texts that are bounded already.
std::string json_problem(std::string_view text);
// The same without a parser, for a text of any size that a scanner refused about at byte `at`.
std::string large_json_problem(std::string_view text, std::size_t at);
// Of a string literal that a scanner gave: an escape that is half of a surrogate pair, which no UTF-8 can say.
std::string literal_problem(std::string_view literal);

}  // namespace messaging
