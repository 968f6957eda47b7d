// A setting's value before it is checked, and how one is read from and written as text. Values; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "gateway/base/result.hpp"
#include "gateway/config/config.hpp"

namespace gateway::config {

using counts = std::map<std::string, integer>;
using value = std::variant<bool, integer, std::string, strings, counts, decimal>;
// Where a setting lives in a config; the alternatives are those of value, in the same order.
using field = std::variant<bool*, integer*, std::string*, strings*, counts*, decimal*>;

// "a boolean", "an integer", "a text", "a list of texts", "a table of counts", "a number".
const char* type_name(const field& of);
value read(const field& from);

// The text of an environment variable or a command line option, as the type of `as`: true or false; an integer; a
// number; a text; a,b,c; a=1,b=2. The failure's message says what was expected.
result<value> parse(std::string_view text, const field& as);

// As TOML writes it.
std::string to_text(const value& what);

}  // namespace gateway::config
