// Entity tags and the lists of them in If-Match and If-None-Match (RFC 9110 sections 8.8.3 and 13.1). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

// `"version"`
std::string entity_tag(std::string_view version);

struct tag_list {
    bool any = false;                 // "*"
    std::vector<std::string> weak;    // of W/"…"
    std::vector<std::string> strong;  // of "…", and of a version without quotes, as it stands in JSON
};

// nullopt for what is none.
std::optional<tag_list> parse_tags(std::string_view header);

}  // namespace gateway::http
