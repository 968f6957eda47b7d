#include "gateway/config/toolkits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/config/rules.hpp"

namespace gateway::config {
namespace {

bool is_command(const strings& words) { return !words.empty() && !words.front().empty(); }

bool are_variables(const texts& env) {
    return std::all_of(env.begin(), env.end(), [](const auto& entry) { return is_variable_name(entry.first); });
}

bool are_headers(const texts& headers) {
    return std::all_of(headers.begin(), headers.end(), [](const auto& entry) {
        return !entry.first.empty() && entry.first.find_first_of(" :\r\n\t") == std::string::npos &&
               is_header_value(entry.second);
    });
}

struct toolkit_key {
    const char* name;
    bool (*take)(const table_entry&, toolkit&);
    const char* allowed;
};

const toolkit_key keys[] = {
    {"command", [](const table_entry& from, toolkit& into) { return take<strings>(from, into.command, is_command); },
     "a list of texts: the program and its arguments"},
    {"url",
     [](const table_entry& from, toolkit& into) {
         return take<std::string>(from, into.url,
                                  [](const std::string& url) { return !url.empty() && is_http_url(url); });
     },
     "an http or https URL"},
    {"env", [](const table_entry& from, toolkit& into) { return take<texts>(from, into.env, are_variables); },
     "a table of texts, by names of variables"},
    {"headers", [](const table_entry& from, toolkit& into) { return take<texts>(from, into.headers, are_headers); },
     "a table of texts, by names of HTTP headers"},
    {"timeout_s",
     [](const table_entry& from, toolkit& into) {
         return take<integer>(from, into.timeout_s, [](const integer& s) { return 1 <= s && s <= 31'536'000; });
     },
     "an integer from 1 to 31536000"},
};

}  // namespace

void read_toolkit(assembly& into, const std::string& name, const std::vector<table_entry>& entries,
                  const std::string& where) {
    std::string key = "tools.toolkits." + name;
    if (!is_toolkit_name(name)) {
        return into.refuse(key, "{…}", where, "named with letters, digits and _, beginning with a letter or _");
    }
    auto problems = into.problems.size();
    toolkit made;
    for (const auto& entry : entries) read_entry(into, key + ".", entry, keys, made);
    bool sound = into.problems.size() == problems;
    if (sound && made.command.empty() == made.url.empty()) {
        into.refuse(key, made.url.empty() ? "{}" : "{command, url}", where,
                    "given exactly one of command (a program that speaks MCP on stdio) and url (Streamable HTTP)");
    }
    if (sound) into.values.tools.toolkits[name] = std::move(made);
}

}  // namespace gateway::config
