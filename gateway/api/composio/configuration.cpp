#include "gateway/api/composio/configuration.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/json_reading.hpp"
#include "gateway/http/text.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

constexpr const char* known_keys[] = {
    "toolkits", "tools",  "tags",    "auth_configs",  "connected_accounts", "manage_connections", "multi_account",
    "preload",  "search", "execute", "premium_usage", "workbench",          "experimental"};
constexpr const char* sizes[] = {"standard", "medium", "large", "xlarge"};
constexpr const char* hints[] = {"readOnlyHint",  "destructiveHint", "idempotentHint",
                                 "openWorldHint", "createHint",      "updateHint"};
constexpr std::uint64_t largest_threshold = 100'000'000;

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

// Reads one document; the first thing that is wrong ends it.
class document_reader {
  public:
    explicit document_reader(const json& from) : from_(from) {}

    result<configuration> read() {
        made_.document = to_text(from_);
        made_.toolkits = read_selection("toolkits", member(from_, "toolkits"));
        read_tools();
        made_.tags = read_tags("tags", member(from_, "tags"));
        read_texts("auth_configs");
        read_accounts();
        made_.manage_connections = flag("manage_connections", "enable", true);
        made_.wait_for_connections = flag("manage_connections", "enable_wait_for_connections", false);
        made_.search = flag("search", "enable", true);
        made_.multi_execute = flag("execute", "enable_multi_execute", true);
        flag("manage_connections", "enable_connection_removal", false);
        text("manage_connections", "callback_url");
        read_multi_account();
        read_premium_usage();
        object("experimental");
        read_preload();
        read_workbench();
        if (wrong_) return *wrong_;
        return std::move(made_);
    }

  private:
    void refuse_if(bool bad, const std::string& message) {
        if (bad && !wrong_) wrong_ = refuse(message);
    }

    // An empty object when there is none.
    json object(const char* name) {
        const auto& found = member(from_, name);
        refuse_if(!found.is_null() && !found.is_object(), std::string(name) + " must be an object");
        return found.is_object() ? found : json::object();
    }

    bool flag_of(const json& of, const std::string& path, const char* name, bool otherwise) {
        const auto& found = member(of, name);
        refuse_if(!found.is_null() && !found.is_boolean(), path + "." + name + " must be true or false");
        return found.is_boolean() ? found.get<bool>() : otherwise;
    }
    bool flag(const char* section, const char* name, bool otherwise) {
        return flag_of(object(section), section, name, otherwise);
    }

    void text(const char* section, const char* name) {
        const auto of = object(section);
        const auto& found = member(of, name);
        refuse_if(!found.is_null() && !found.is_string(), std::string(section) + "." + name + " must be a string");
    }

    std::vector<std::string> texts(const std::string& path, const json& from) {
        std::vector<std::string> made;
        refuse_if(!from.is_array(), path + " must be an array of strings");
        for (const auto& each : from.is_array() ? from : json::array()) {
            refuse_if(!each.is_string(), path + " must hold strings");
            if (each.is_string()) made.push_back(each.get<std::string>());
        }
        return made;
    }

    std::set<std::string> names(const std::string& path, const json& from) {
        std::set<std::string> made;
        for (const auto& each : texts(path, from)) made.insert(toolkit_name(each));
        return made;
    }

    // [names], {"enable": [names]} or {"disable": [names]}.
    selection read_selection(const std::string& path, const json& from) {
        selection made;
        if (from.is_null()) return made;
        if (from.is_array()) {
            made.only = names(path, from);
            return made;
        }
        refuse_if(!from.is_object(), path + R"( must be {"enable": […]} or {"disable": […]})");
        refuse_if(from.contains("enable") && from.contains("disable"), path + " takes enable or disable, not both");
        if (from.contains("enable")) made.only = names(path + ".enable", from["enable"]);
        if (from.contains("disable")) made.but = names(path + ".disable", from["disable"]);
        return made;
    }

    void read_tools() {
        const auto section = object("tools");
        for (const auto& [toolkit, value] : section.items()) {
            const auto path = "tools." + toolkit.substr(0, 100);
            const auto name = toolkit_name(toolkit);
            refuse_if(made_.tools.contains(name), path + " is another name of a toolkit that is there already");
            if (value.is_object() && value.contains("tags"))
                made_.tool_tags[name] = read_tags(path + ".tags", value["tags"]);
            made_.tools[name] = read_selection(path, value);
        }
    }

    // [hints], or {"enable": [hints], "disable": [hints]}.
    hint_selection read_tags(const std::string& path, const json& from) {
        hint_selection made;
        if (from.is_null()) return made;
        if (from.is_array()) {
            made.only = read_hints(path, from);
            return made;
        }
        refuse_if(!from.is_object(), path + R"( must be an array or {"enable": […], "disable": […]})");
        if (const auto& on = member(from, "enable"); !on.is_null()) made.only = read_hints(path + ".enable", on);
        if (const auto& off = member(from, "disable"); !off.is_null()) made.but = read_hints(path + ".disable", off);
        return made;
    }
    std::set<std::string> read_hints(const std::string& path, const json& from) {
        std::set<std::string> made;
        refuse_if(!from.is_array(), path + " must be an array of hints");
        for (const auto& each : from.is_array() ? from : json::array()) {
            const auto text = each.is_string() ? each.get<std::string>() : std::string();
            const bool known = std::find(std::begin(hints), std::end(hints), text) != std::end(hints);
            refuse_if(
                !known,
                path +
                    " may hold readOnlyHint, createHint, updateHint, destructiveHint, idempotentHint, openWorldHint");
            made.insert(text);
        }
        return made;
    }

    void read_texts(const char* name) {
        const auto section = object(name);
        for (const auto& [key, value] : section.items())
            refuse_if(!value.is_string(), std::string(name) + " must be an object of strings");
    }

    void read_accounts() {
        const auto section = object("connected_accounts");
        for (const auto& [toolkit, value] : section.items()) {
            const auto path = "connected_accounts." + toolkit.substr(0, 100);
            const auto name = http::to_lower(toolkit);  // as accounts have it
            refuse_if(made_.pinned_accounts.contains(name), path + " is there in another case already");
            made_.pinned_accounts[name] = texts(path, value);
        }
    }

    void read_multi_account() {
        flag("multi_account", "enable", false);
        flag("multi_account", "require_explicit_selection", false);
        const auto section = object("multi_account");
        const auto& most = member(section, "max_accounts_per_toolkit");
        const bool good = most.is_number_unsigned() && most >= json(2) && most <= json(10);
        refuse_if(!most.is_null() && !good,
                  "multi_account.max_accounts_per_toolkit must be a whole number from 2 to 10");
    }

    void read_premium_usage() {
        const auto& found = member(from_, "premium_usage");
        refuse_if(!found.is_null() && !found.is_boolean() && !found.is_object(),
                  "premium_usage must be true, false or an object");
    }

    void read_preload() {
        auto section = object("preload");
        const auto& wanted = member(section, "tools");
        made_.preload_all = wanted.is_string() && wanted.get_ref<const std::string&>() == "all";
        if (wanted.is_null() || made_.preload_all) return;
        refuse_if(!wanted.is_array(), R"(preload.tools must be an array of slugs, or "all")");
        made_.preload = texts("preload.tools", wanted.is_array() ? wanted : json::array());
    }

    void read_workbench() {
        auto section = object("workbench");
        auto& made = made_.workbench;
        made.enable = flag_of(section, "workbench", "enable", true);
        made.proxy_execution = flag_of(section, "workbench", "enable_proxy_execution", true);
        const auto& threshold = member(section, "auto_offload_threshold");
        bool good = threshold.is_number_unsigned() && threshold.get<std::uint64_t>() <= largest_threshold;
        refuse_if(!threshold.is_null() && !good, "workbench.auto_offload_threshold must be a whole number from 0 to " +
                                                     std::to_string(largest_threshold));
        if (good) made.offload_threshold = threshold.get<std::uint64_t>();
        const auto& size = member(section, "sandbox_size");
        if (size.is_null()) return;
        made.size = text_member(section, "sandbox_size");
        refuse_if(std::find(std::begin(sizes), std::end(sizes), made.size) == std::end(sizes),
                  "workbench.sandbox_size must be standard, medium, large or xlarge");
    }

    const json& from_;
    configuration made_;
    std::optional<failure> wrong_;
};

// `sandbox` under its other name.
result<void> give_one_name(json& body) {
    if (!body.is_object()) return refuse("the body must be a JSON object");
    if (!body.contains("sandbox")) return {};
    if (body.contains("workbench"))
        return refuse("sandbox and workbench are two names of one setting: send one of them, not both");
    body["workbench"] = body["sandbox"];
    body.erase("sandbox");
    return {};
}

// Members that are null are taken away.
void merge(json& into, const json& from) {
    for (const auto& [name, value] : from.items()) {
        if (value.is_null()) {
            into.erase(name);
        } else {
            into[name] = value;
        }
    }
}

result<configuration> change(json document, json wanted) {
    if (auto good = give_one_name(wanted); !good) return good.error();
    for (const char* key : known_keys) {
        auto found = wanted.find(key);
        if (found == wanted.end()) continue;
        const bool is_partial = std::string_view(key) == "workbench" && found->is_object();
        if (found->is_null()) {
            document.erase(key);
        } else if (is_partial) {
            auto section = document.value(key, json::object());
            merge(section, *found);
            document[key] = std::move(section);
        } else {
            document[key] = *found;
        }
    }
    return document_reader(document).read();
}

const json& or_empty_array(const json& from) {
    static const json none = json::array();
    return from.is_array() ? from : none;
}

// {"enable": […]} as {"enabled": […]}, and so on.
json shown_selection(const json& from) {
    if (from.is_array()) return {{"enabled", from}};
    json made = json::object();
    for (const auto& [name, value] : from.items()) {
        if (name == "tags") {
            made["tags"] = value.is_array() ? json{{"enabled", value}} : shown_selection(value);
        } else {
            made[name == "enable" ? "enabled" : name == "disable" ? "disabled" : name] = value;
        }
    }
    return made;
}

json shown_tags(const json& from) {
    if (from.is_array()) return {{"enabled", from}, {"disabled", json::array()}};
    return {{"enabled", or_empty_array(member(from, "enable"))}, {"disabled", or_empty_array(member(from, "disable"))}};
}

json shown_workbench(const workbench_settings& from) {
    return {{"enable", from.enable},
            {"proxy_execution_enabled", from.proxy_execution},
            {"auto_offload_threshold", from.offload_threshold},
            {"sandbox_size", from.size}};
}

}  // namespace

std::string toolkit_name(std::string_view name) {
    return http::to_lower(tools::slug_part(tools::normalized_slug(name)));
}

bool hint_selection::admits(const std::vector<std::string>& given) const {
    auto has = [&](const auto& each) { return std::find(given.begin(), given.end(), each) != given.end(); };
    return (only.empty() || std::any_of(only.begin(), only.end(), has)) && std::none_of(but.begin(), but.end(), has);
}

bool configuration::admits(std::string_view toolkit, std::string_view slug,
                           const std::vector<std::string>& given) const {
    const auto kit = toolkit_name(toolkit);
    if (!toolkits.admits(kit)) return false;
    auto own_tags = tool_tags.find(kit);
    if (!(own_tags == tool_tags.end() ? tags : own_tags->second).admits(given)) return false;
    auto found = tools.find(kit);
    return found == tools.end() || found->second.admits(toolkit_name(slug));
}

bool configuration::has_filters() const {
    return toolkits != selection{} || tags != hint_selection{} || !tools.empty() || !tool_tags.empty();
}

result<configuration> read_configuration(const json& body) { return change(json::object(), body); }

result<configuration> change_configuration(const configuration& from, const json& body) {
    return change(json::parse(from.document), body);
}

json shown_configuration(const configuration& from, const std::string& user_id) {
    const auto document = json::parse(from.document);
    json made = {{"user_id", user_id},
                 {"execute", {{"enable_multi_execute", from.multi_execute}}},
                 {"search", {{"enable", from.search}}},
                 {"preload", {{"tools", from.preload_all ? json("all") : json(from.preload)}}},
                 {"tags", shown_tags(member(document, "tags"))},
                 {"auth_configs", document.value("auth_configs", json::object())},
                 {"connected_accounts", document.value("connected_accounts", json::object())},
                 {"workbench", shown_workbench(from.workbench)}};
    if (document.contains("toolkits")) made["toolkits"] = shown_selection(document["toolkits"]);
    made["tools"] = json::object();
    const auto tools = document.value("tools", json::object());
    for (const auto& [toolkit, value] : tools.items()) made["tools"][toolkit] = shown_selection(value);
    made["manage_connections"] = document.value("manage_connections", json::object());
    made["manage_connections"].erase("enable");
    made["manage_connections"]["enabled"] = from.manage_connections;
    if (document.contains("multi_account")) made["multi_account"] = document["multi_account"];
    if (document.contains("premium_usage")) made["premium_usage"] = document["premium_usage"];
    return made;
}

}  // namespace gateway::api::composio
