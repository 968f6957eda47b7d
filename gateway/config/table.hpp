// Every setting as data: what parsing, --help-config and docs/configuration.md are made from. Values; any thread.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/config/value.hpp"

namespace gateway::config {

// What a value may be, beyond its type. `text` completes "must be …".
struct rule {
    std::string_view text;
    integer least = std::numeric_limits<integer>::min();
    integer most = std::numeric_limits<integer>::max();
    std::vector<std::string_view> choices = {};
    bool (*accepts)(const std::string&) = nullptr;  // for a text, or each item of a list
    bool path = false;                              // relative ones are made absolute, ~ is expanded
};

struct setting {
    std::string_view key;  // "section.name"
    field (*at)(config&);
    rule allowed;
    std::string_view description;
    std::string_view default_text = {};  // where the default depends on the machine
    std::string_view flag = {};          // the command line option of its own, if it has one
    bool secret = false;                 // its value is never shown
};

const std::vector<setting>& settings();
const setting* find_setting(std::string_view key);

// CELLGATE_SECTION_NAME
std::string environment_name(std::string_view key);
// "an integer from 0 to 65535", `"keys" or "none"`, …
std::string allowed_text(const setting& what);
// Whether `candidate`, which has the setting's type, is allowed.
bool accepts(const setting& what, const value& candidate);

// The known word that is nearest to `word`; empty when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// For people: --help-config, and the table of docs/configuration.md.
std::string help_text();
std::string markdown_table();

}  // namespace gateway::config
