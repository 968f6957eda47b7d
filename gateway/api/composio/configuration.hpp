// What a client of the tool router asked of its session: the document as it was sent, and what this gateway acts upon.
// A value; pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::api::composio {

// A toolkit's name, or a tool's slug, as it is compared and shown: "git_hub" for GIT_HUB as for git-hub, which is how
// the names of toolkits and tools become slugs.
std::string toolkit_name(std::string_view name);

// Names that are let in, or names that are kept out. Names are as toolkit_name() has them.
struct selection {
    std::optional<std::set<std::string>> only;
    std::set<std::string> but;

    bool admits(const std::string& name) const { return (!only || only->contains(name)) && !but.contains(name); }
    bool operator==(const selection&) const = default;
};

// Tools by what their servers say of them: those that have one of `only` (empty: all), and none of `but`.
struct hint_selection {
    std::set<std::string> only;
    std::set<std::string> but;

    bool admits(const std::vector<std::string>& hints) const;
    bool operator==(const hint_selection&) const = default;
};

struct workbench_settings {
    bool enable = true;
    bool proxy_execution = true;
    std::uint64_t offload_threshold = 20'000;  // characters
    std::string size = "standard";

    bool operator==(const workbench_settings&) const = default;
};

struct configuration {
    std::string document = "{}";  // a JSON object: the keys of the request, without user_id; `sandbox` is workbench
    workbench_settings workbench;
    bool search = true;
    bool multi_execute = true;
    bool manage_connections = true;
    bool wait_for_connections = false;  // only where it is asked for
    bool preload_all = false;
    std::vector<std::string> preload;                                 // slugs as they were written
    std::map<std::string, std::vector<std::string>> pinned_accounts;  // by toolkit, in lower case; none: no account
    selection toolkits;
    std::map<std::string, selection> tools;  // by toolkit
    hint_selection tags;
    std::map<std::string, hint_selection> tool_tags;  // by toolkit, instead of `tags`

    // Whether the session may use a toolkit's tool, in any case.
    bool admits(std::string_view toolkit, std::string_view slug, const std::vector<std::string>& hints) const;
    // Whether there is a tool that it might not admit.
    bool has_filters() const;
};

// Of the body of a create; keys that this gateway does not know are left out. invalid_request names what is wrong.
result<configuration> read_configuration(const nlohmann::json& body);
// What a PATCH makes of it: only the keys that are there change, null takes one away, workbench is merged.
result<configuration> change_configuration(const configuration& from, const nlohmann::json& body);

// `config` of the session object (contract of the published clients: enable is shown as enabled, and so on).
nlohmann::json shown_configuration(const configuration& from, const std::string& user_id);

}  // namespace gateway::api::composio
