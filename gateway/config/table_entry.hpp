// One line of a table that an operator named: [tools.toolkits.NAME], [accounts.services.NAME]. Values; any thread.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "gateway/config/assembly.hpp"

namespace gateway::config {

using texts = std::map<std::string, std::string>;

struct table_entry {
    std::string key;
    std::variant<std::monostate, integer, std::string, strings, texts> given;  // monostate: a value of any other type
    std::string where;
};

// The entry's value, if it has the type and is allowed.
template <class T>
bool take(const table_entry& entry, T& into, bool (*allowed)(const T&)) {
    const auto* given = std::get_if<T>(&entry.given);
    if (given == nullptr || !allowed(*given)) return false;
    into = *given;
    return true;
}

// As a problem shows it: of a table the values may be secrets.
inline std::string shown(const table_entry& entry) {
    if (const auto* number = std::get_if<integer>(&entry.given)) return to_text(*number);
    if (const auto* text = std::get_if<std::string>(&entry.given)) return to_text(*text);
    if (const auto* list = std::get_if<strings>(&entry.given)) return to_text(*list);
    return "(hidden)";
}

}  // namespace gateway::config
