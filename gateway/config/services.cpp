#include "gateway/config/services.hpp"

#include <algorithm>

#include "gateway/config/rules.hpp"

namespace gateway::config {
namespace {

bool is_any(const std::string&) { return true; }
bool are_any(const strings&) { return true; }
bool is_scheme(const std::string& text) { return text == "api_key" || text == "basic" || text == "bearer"; }
bool is_place(const std::string& text) { return text == "header" || text == "query"; }

struct service_key {
    const char* name;
    bool (*take)(const table_entry&, service&);
    const char* allowed;
};

const service_key keys[] = {
    {"base_url", [](const table_entry& from, service& into) { return take(from, into.base_url, is_some_http_url); },
     "an http or https URL"},
    {"hosts", [](const table_entry& from, service& into) { return take(from, into.hosts, are_any); },
     "a list of host names"},
    {"auth_scheme", [](const table_entry& from, service& into) { return take(from, into.auth_scheme, is_scheme); },
     "\"api_key\", \"basic\" or \"bearer\""},
    {"in", [](const table_entry& from, service& into) { return take(from, into.in, is_place); },
     "\"header\" or \"query\""},
    {"name", [](const table_entry& from, service& into) { return take(from, into.name, is_any); },
     "the name of a header or query parameter"},
    {"prefix", [](const table_entry& from, service& into) { return take(from, into.prefix, is_any); }, "a text"},
};

}  // namespace

void read_service(assembly& into, const std::string& name, const std::vector<table_entry>& entries,
                  const std::string& where) {
    const auto key = "accounts.services." + name;
    if (!is_composio_toolkit(name))
        return into.refuse(key, "{…}", where, "named with 1 to 64 small letters, digits, _ and -, and not composio");
    const auto problems = into.problems.size();
    service made;
    for (const auto& entry : entries) read_entry(into, key + ".", entry, keys, made);
    if (into.problems.size() != problems) return;
    if (made.base_url.empty() || made.auth_scheme.empty())
        return into.refuse(key, "{…}", where, "given base_url and auth_scheme");
    if (made.auth_scheme != "api_key" && !made.in.empty())
        return into.refuse(key + ".in", to_text(made.in), where, "absent unless auth_scheme is \"api_key\"");
    into.values.accounts.services[name] = std::move(made);
}

}  // namespace gateway::config
