// One line of a table that an operator named: [tools.toolkits.NAME], [accounts.services.NAME]. Values; any thread.
#pragma once

#include <algorithm>
#include <iterator>
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

// Takes the entry by the one of `keys` (name, take, allowed) that has its name, or says what is wrong with it.
template <class Keys, class T>
void read_entry(assembly& into, const std::string& prefix, const table_entry& entry, const Keys& keys, T& made) {
    auto known = std::find_if(std::begin(keys), std::end(keys), [&](const auto& key) { return key.name == entry.key; });
    if (known == std::end(keys)) {
        std::vector<std::string> names;
        for (const auto& key : keys) names.push_back(prefix + key.name);
        return into.refuse_unknown(prefix + entry.key, entry.where, names);
    }
    if (!known->take(entry, made)) into.refuse(prefix + entry.key, shown(entry), entry.where, known->allowed);
}

}  // namespace gateway::config
