#include "gateway/api/composio/tool_search.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "gateway/api/composio/connection_json.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/workbench.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/http/text.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t primary_tools = 5;
constexpr std::size_t related_tools = 5;
constexpr std::size_t most_suggestions = 3;
constexpr std::size_t least_letters = 2;
constexpr int slug_weight = 3;

const std::set<std::string> empty_words = {"a",  "an", "and", "the", "to",   "of",   "in",   "on",  "for", "with",
                                           "my", "me", "is",  "it",  "from", "that", "this", "all", "by",  "or"};

std::set<std::string> words_of(const std::string& text) {
    std::set<std::string> made;
    std::string word;
    for (char letter : http::to_lower(text) + " ") {
        // Bytes of other scripts belong to words.
        if (std::isalnum(static_cast<unsigned char>(letter)) || static_cast<unsigned char>(letter) >= 0x80) {
            word += letter;
            continue;
        }
        if (word.size() >= least_letters && !empty_words.contains(word)) made.insert(word);
        word.clear();
    }
    return made;
}

// "emails" is found by "email", and the other way round.
bool has_word(const std::set<std::string>& words, const std::string& wanted) {
    return std::any_of(words.begin(), words.end(), [&](const auto& each) {
        return each == wanted || each + "s" == wanted || wanted + "s" == each;
    });
}

int score(const tool_description& of, const std::set<std::string>& wanted) {
    const auto in_slug = words_of(of.slug + " " + of.name);
    const auto in_text = words_of(of.description);
    int made = 0;
    for (const auto& each : wanted) made += has_word(in_slug, each) ? slug_weight : has_word(in_text, each) ? 1 : 0;
    return made;
}

json slugs_of(const std::vector<const tool_description*>& from, std::size_t begin, std::size_t end) {
    json made = json::array();
    for (auto at = begin; at < std::min(end, from.size()); ++at) made.push_back(from[at]->slug);
    return made;
}

json toolkits_of(const std::vector<const tool_description*>& from) {
    std::set<std::string> made;
    for (const auto* each : from) made.insert(toolkit_name(each->toolkit));
    return made;
}

json schema_of(const tool_description& from) {
    return {{"tool_slug", from.slug},
            {"toolkit", toolkit_name(from.toolkit)},
            {"description", from.description},
            {"input_schema", object_schema(from.input_schema)},
            {"hasFullSchema", true}};
}

json time_info() {
    const auto now = wall_clock::now();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    return {{"current_time_utc", iso8601(now)},
            {"current_time_utc_epoch_seconds", seconds},
            {"message", "Times are in UTC. Ask for the user's time zone where it matters."}};
}

json session_of(const json& arguments) {
    auto made = session_echo(arguments);
    made["generate_id"] = text_member(member(arguments, "session"), "id").empty();
    return made;
}

json guidance(bool found_any, const json& statuses, const configuration& with) {
    json made = json::array();
    for (const auto& each : statuses)
        if (!each["has_active_connection"].get<bool>() && with.manage_connections)
            made.push_back("Connect " + each["toolkit"].get<std::string>() +
                           " with COMPOSIO_MANAGE_CONNECTIONS before its API is called.");
    if (!found_any) {
        made.push_back("No configured tool fits. Describe the task in other words, or do it with code.");
    } else if (with.multi_execute) {
        made.push_back("Call independent tools at once with COMPOSIO_MULTI_EXECUTE_TOOL.");
    }
    if (with.workbench.enable)
        made.push_back(
            "For many calls, large data or files, write code in COMPOSIO_REMOTE_WORKBENCH and call tools "
            "there with run_composio_tool(slug, arguments).");
    return made;
}

std::vector<tool_description> only_toolkits(std::vector<tool_description> all, const json& toolkits) {
    if (!toolkits.is_array() || toolkits.empty()) return all;
    std::set<std::string> wanted;
    for (const auto& each : toolkits)
        if (each.is_string()) wanted.insert(toolkit_name(each.get<std::string>()));
    std::erase_if(all, [&](const auto& each) { return !wanted.contains(toolkit_name(each.toolkit)); });
    return all;
}

// Without tools of its own it is found by its name alone.
void add_connectable(std::set<std::string>& to, const connections& all, const std::set<std::string>& words) {
    for (const auto& [toolkit, each] : all) {
        const auto own = words_of(toolkit);
        auto is_said = [&](const auto& word) { return words.contains(word); };
        if (each.tools == 0 && !own.empty() && std::all_of(own.begin(), own.end(), is_said)) to.insert(toolkit);
    }
}

json connection_statuses(const std::set<std::string>& toolkits, const connections& all) {
    json made = json::array();
    for (const auto& toolkit : toolkits) {
        const auto found = all.find(toolkit);
        if (found == all.end()) continue;
        const auto& each = found->second;
        json details = json::object();
        if (each.account) details["connected_account_id"] = each.account->id;
        made.push_back({{"toolkit", toolkit},
                        {"description", each.tools > 0 ? "Tools of " + toolkit : "The API of " + toolkit},
                        {"has_active_connection", each.is_ready()},
                        {"connection_details", details},
                        {"status_message", connection_message(each)}});
    }
    return made;
}

const tool_description* find_tool(const std::vector<tool_description>& all, const std::string& slug) {
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.slug == slug; });
    return found == all.end() ? nullptr : &*found;
}

bool includes(const json& arguments, const char* what, bool otherwise) {
    const auto& given = member(arguments, "include");
    if (!given.is_array() || given.empty()) return otherwise;
    return std::find(given.begin(), given.end(), json(what)) != given.end();
}

}  // namespace

std::vector<const tool_description*> rank_tools(const std::vector<tool_description>& all, const std::string& text,
                                                std::size_t most) {
    const auto wanted = words_of(text);
    std::vector<std::pair<int, const tool_description*>> scored;
    for (const auto& each : all)
        if (int points = score(each, wanted); points > 0) scored.emplace_back(points, &each);
    std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (scored.size() > most) scored.resize(most);
    std::vector<const tool_description*> made;
    for (const auto& [points, each] : scored) made.push_back(each);
    return made;
}

json search_answer(const std::vector<tool_description>& all, const json& arguments, const configuration& with,
                   const connections& connected) {
    const auto among = only_toolkits(all, member(arguments, "toolkits"));
    json results = json::array();
    json schemas = json::object();
    std::set<std::string> toolkits;
    for (const auto& each : member(arguments, "toolkits"))
        if (const auto found = find_connection(connected, each.get<std::string>());
            found != connected.end() && found->second.tools == 0)
            toolkits.insert(found->first);
    for (const auto& query : member(arguments, "queries")) {
        const auto use_case = text_member(query, "use_case");
        add_connectable(toolkits, connected, words_of(use_case));
        auto found =
            rank_tools(among, use_case + " " + text_member(query, "known_fields"), primary_tools + related_tools);
        results.push_back({{"index", results.size() + 1},
                           {"use_case", use_case},
                           {"primary_tool_slugs", slugs_of(found, 0, primary_tools)},
                           {"related_tool_slugs", slugs_of(found, primary_tools, found.size())},
                           {"toolkits", toolkits_of(found)}});
        for (const auto* each : found) {
            schemas[each->slug] = schema_of(*each);
            toolkits.insert(toolkit_name(each->toolkit));
        }
    }
    json made = {{"success", true}, {"error", nullptr}, {"results", results}, {"tool_schemas", schemas}};
    auto statuses = connection_statuses(toolkits, connected);
    made["next_steps_guidance"] = guidance(!schemas.empty(), statuses, with);
    made["toolkit_connection_statuses"] = std::move(statuses);
    made["session"] = session_of(arguments);
    made["time_info"] = time_info();
    return made;
}

json schemas_answer(const std::vector<tool_description>& all, const json& arguments) {
    json schemas = json::object();
    json not_found = json::array();
    json suggestions = json::object();
    for (const auto& each : member(arguments, "tool_slugs")) {
        const auto slug = tools::normalized_slug(each.get<std::string>());
        if (const auto* found = find_tool(all, slug)) {
            auto shown = schema_of(*found);
            if (!includes(arguments, "input_schema", true)) shown.erase("input_schema");
            if (includes(arguments, "output_schema", false)) shown["output_schema"] = object_schema("{}");
            schemas[slug] = shown;
            continue;
        }
        not_found.push_back(slug);
        auto words = slug;
        std::replace(words.begin(), words.end(), '_', ' ');
        suggestions[slug] = slugs_of(rank_tools(all, words, most_suggestions), 0, most_suggestions);
    }
    json made = {{"success", not_found.empty()}, {"tool_schemas", schemas}, {"session", session_echo(arguments)}};
    if (not_found.empty()) return made;
    made["not_found"] = not_found;
    made["suggestions"] = suggestions;
    made["not_found_message"] = "Some slugs are not those of tools here: take one of the suggestions, or search again.";
    return made;
}

}  // namespace gateway::api::composio
