#include "gateway/api/helpers/tools_route.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "gateway/http/router.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::api::helpers {
namespace {

using nlohmann::json;
using tools::tool_description;

constexpr std::size_t most_bytes = 4u << 20;  // of an answer; the tools past it are only counted

std::string upper(std::string text) {
    auto raised = [](char letter) { return 'a' <= letter && letter <= 'z' ? static_cast<char>(letter - 32) : letter; };
    std::transform(text.begin(), text.end(), text.begin(), raised);
    return text;
}

std::vector<std::string> words_of(const std::string& query) {
    std::istringstream from(upper(query));
    std::vector<std::string> made;
    for (std::string word; from >> word;) made.push_back(word);
    return made;
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
    return std::all_of(words.begin(), words.end(), [&](const auto& word) { return text.find(word) != text.npos; });
}

json object_of(const tool_description& from) {
    auto schema = tools::parse_json(from.input_schema);
    return {{"slug", from.slug},
            {"toolkit", from.toolkit},
            {"description", from.description},
            {"input_schema", schema ? *schema : json::object()}};
}

std::string answer(const std::vector<tool_description>& from) {
    std::string list;
    std::size_t left_out = 0;
    for (const auto& each : from) {
        auto text = tools::to_text(object_of(each));
        if (list.size() + text.size() > most_bytes) {
            ++left_out;
        } else {
            list += (list.empty() ? "" : ",") + text;
        }
    }
    return R"({"tools":[)" + list + R"(],"left_out":)" + std::to_string(left_out) + "}";
}

awaitable<http::response> list(helper_call call, tools::toolbox& tools, tools::tool_filter admits) {
    if (auto good = check_parameters(call, "query"); !good) co_return refuse(call, good.error());
    auto all = co_await tools.list();
    auto found = matching(tools::admitted(std::move(all), admits), call.from.find_query("query").value_or(""));
    co_return http::json_response(answer(found));
}

}  // namespace

std::vector<tool_description> matching(std::vector<tool_description> all, const std::string& query) {
    auto words = words_of(query);
    auto is_other = [&](const auto& each) {
        return !has_all(upper(each.slug + " " + each.name + " " + each.description), words);
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_other), all.end());
    std::stable_partition(all.begin(), all.end(), [&](const auto& each) { return has_all(each.slug, words); });
    return all;
}

void add_tools_route(endpoint& to, tools::toolbox& tools, caller_finder find_caller) {
    auto handle = [&tools, find_caller = std::move(find_caller)](helper_call call) {
        auto whose = find_caller(call.session);
        return list(std::move(call), tools, std::move(whose.admits));
    };
    to.add("GET", "/v1/tools", std::move(handle));
}

}  // namespace gateway::api::helpers
