// A configuration while its sources are read into it, with every problem found on the way. Owned by load().
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/config/table.hpp"

namespace gateway::config {

struct origin {
    std::string text;  // "CELLGATE_SERVER_PORT", "--port", "cellgate.toml line 4"
    std::string base;  // the directory that relative paths of this source mean
    std::string home;  // what ~ means; may be empty
};

struct assembly {
    config values;
    std::map<std::string, std::string, std::less<>> origins;  // key → where its value came from; a default has none
    std::vector<std::string> problems;

    // Checks and stores; a later source overrides an earlier one.
    void assign(const setting& what, value given, const origin& from);
    // The same for text that has yet to become the setting's type.
    void assign_text(const setting& what, const std::string& text, const origin& from);
    void refuse(std::string_view key, const std::string& shown, const std::string& where, const std::string& must);
    void refuse(const setting& what, const std::string& shown, const std::string& where);
    void refuse_unknown(const std::string& name, const std::string& where, const std::vector<std::string>& known);
    // A rule over several settings was broken: `key` has its value, and where it came from, from this assembly.
    void refuse_combination(std::string_view key, const std::string& must);
};

void read_file(assembly& into, const std::string& path, const std::string& home);
void read_environment(assembly& into, const sources& from);
// Rules over several settings; after every source.
void check_combinations(assembly& all);
// Fills what depends on the machine: directories, the launcher, the package.
void resolve_defaults(assembly& all, const sources& from);

// `text` as an absolute path without . and .. where `from` means it; empty stays empty.
std::string absolute_path(const std::string& text, const origin& from);

}  // namespace gateway::config
