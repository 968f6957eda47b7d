#include <fmt/format.h>

#include "gateway/config/table.hpp"

namespace gateway::config {
namespace {

std::string default_of(const setting& what) {
    if (!what.default_text.empty()) return std::string(what.default_text);
    config fresh;
    return to_text(read(what.at(fresh)));
}

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string markdown_row(const setting& what) {
    auto shown = what.default_text.empty() ? code(default_of(what)) : default_of(what);
    auto flag = what.flag.empty() ? std::string() : " " + code(std::string(what.flag));
    return fmt::format("| `{}`{} | {} | {} | {} |\n", what.key, flag, shown, allowed_text(what), what.description);
}

}  // namespace

std::string help_text() {
    std::string out =
        "Settings, weakest source first: the defaults, the file (--config, or ./cellgate.toml), CELLGATE_* variables,\n"
        "the command line (the options below, or --set KEY=VALUE). In a variable a list is a,b and a table of counts "
        "a=1,b=2.\n";
    for (const auto& one : settings()) {
        out +=
            fmt::format("\n{}  ({}{}{})\n    {}.\n    Allowed: {}. Default: {}\n", one.key, environment_name(one.key),
                        one.flag.empty() ? "" : ", ", one.flag, one.description, allowed_text(one), default_of(one));
    }
    return out +
           "\ntools.toolkits.NAME  (in the file only)\n    An MCP server: command = [...] or url = \"...\", and env, "
           "headers, "
           "timeout_s.\n"
           "\naccounts.services.NAME  (in the file only)\n    A service that users connect accounts to: base_url = "
           "\"...\", auth_scheme = \"...\", and hosts, in, name, prefix.\n"
           "\nmounts.NAME  (in the file only)\n    A directory of this machine that every session sees: directory = "
           "\"...\", and at, writable.\n";
}

std::string markdown_table() {
    std::string out = "| setting | default | allowed | what it does |\n|---|---|---|---|\n";
    for (const auto& one : settings()) out += markdown_row(one);
    return out;
}

}  // namespace gateway::config
