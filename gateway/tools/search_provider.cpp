#include "gateway/tools/search_provider.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/base/percent.hpp"
#include "gateway/tools/json_text.hpp"
#include "gateway/tools/markup.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;

constexpr const char* json_type = "application/json";
// Brave takes 400 characters and 50 words; it would answer 422.
constexpr std::size_t brave_query_bytes = 400;

result<outbound::request> get(const std::string& url) {
    auto to = outbound::parse_url(url);
    if (!to) return failure{to.error().code, "search.url: " + to.error().message};
    outbound::request made;
    made.to = *to;
    made.fields = {{"Accept", json_type}};
    return made;
}

result<outbound::request> post(const std::string& url, const json& body) {
    auto made = get(url);
    if (!made) return made;
    made->method = "POST";
    made->fields.emplace_back("Content-Type", json_type);
    made->body = to_text(body);
    return made;
}

// docs.searxng.org/dev/search_api: GET /search?q&format=json; the format must be switched on in its settings.
result<outbound::request> ask_searxng(const search_question& what) {
    auto made = get(outbound::without_slash(what.url) + "/search?format=json&q=" + percent_encode(what.query));
    if (made && !what.api_key.empty()) made->fields.emplace_back("Authorization", "Bearer " + what.api_key);
    return made;
}

// api-dashboard.search.brave.com: GET /res/v1/web/search?q&count, at most 20.
result<outbound::request> ask_brave(const search_question& what) {
    if (what.query.size() > brave_query_bytes)
        return failure{errc::invalid_request, "the query is longer than the " + std::to_string(brave_query_bytes) +
                                                  " bytes that Brave takes: search for less at a time"};
    auto made = get(outbound::without_slash(what.url) + "/res/v1/web/search?text_decorations=false&count=" +
                    std::to_string(std::min(what.max_results, 20)) + "&q=" + percent_encode(what.query));
    if (made) made->fields.emplace_back("X-Subscription-Token", what.api_key);
    return made;
}

// docs.tavily.com: POST /search; with include_answer it writes one.
result<outbound::request> ask_tavily(const search_question& what) {
    json body = {{"query", what.query}, {"include_answer", true}, {"max_results", std::min(what.max_results, 20)}};
    auto made = post(outbound::without_slash(what.url) + "/search", body);
    if (made) made->fields.emplace_back("Authorization", "Bearer " + what.api_key);
    return made;
}

// exa.ai/docs: POST /answer writes an answer and names its sources.
result<outbound::request> ask_exa(const search_question& what) {
    json body = {{"query", what.query}};
    auto made = post(outbound::without_slash(what.url) + "/answer", body);
    if (made) made->fields.emplace_back("x-api-key", what.api_key);
    return made;
}

const json* member(const json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

// The pages of `list`, whose texts are in the first of `texts` that each has.
std::vector<found_page> pages(const json* list, std::initializer_list<const char*> texts, std::size_t most) {
    std::vector<found_page> made;
    if (!list || !list->is_array()) return made;
    for (const auto& each : *list) {
        if (made.size() == most) break;
        found_page page{plain_text(text_member(each, "title")), text_member(each, "url"), ""};
        for (const char* name : texts)
            if (page.text.empty()) page.text = plain_text(text_member(each, name));
        if (!page.title.empty() || !page.url.empty() || !page.text.empty()) made.push_back(std::move(page));
    }
    return made;
}

// SearXNG's instant answers: texts, or objects {"answer"} since 2024.
std::vector<found_page> instant_answers(const json& body) {
    std::vector<found_page> made;
    const auto* list = member(body, "answers");
    if (!list || !list->is_array()) return made;
    for (const auto& each : *list) {
        auto text = each.is_string() ? each.get<std::string>() : text_member(each, "answer");
        if (!text.empty()) made.push_back({"", text_member(each, "url"), plain_text(text)});
    }
    return made;
}

search_answer read_searxng(const json& body, std::size_t most) {
    search_answer made{"", instant_answers(body)};
    if (const auto* boxes = member(body, "infoboxes"); boxes && boxes->is_array())
        for (const auto& each : *boxes)
            made.pages.push_back({plain_text(text_member(each, "infobox")), text_member(each, "id"),
                                  plain_text(text_member(each, "content"))});
    if (made.pages.size() > most) made.pages.resize(most);
    for (auto& each : pages(member(body, "results"), {"content"}, most - made.pages.size()))
        made.pages.push_back(std::move(each));
    return made;
}

search_answer read_brave(const json& body, std::size_t most) {
    const auto* web = member(body, "web");
    return {"", web ? pages(member(*web, "results"), {"description"}, most) : std::vector<found_page>()};
}

search_answer read_tavily(const json& body, std::size_t most) {
    return {text_member(body, "answer"), pages(member(body, "results"), {"content"}, most)};
}

search_answer read_exa(const json& body, std::size_t most) {
    return {text_member(body, "answer"), pages(member(body, "citations"), {"text"}, most)};
}

struct provider_row {
    search_provider which;
    const char* name;
    const char* url;
    result<outbound::request> (*ask)(const search_question&);
    search_answer (*read)(const json&, std::size_t);
    const char* told_by;  // a member that its answers have
};

constexpr provider_row rows[] = {
    {search_provider::searxng, "searxng", "", ask_searxng, read_searxng, "results"},
    {search_provider::brave, "brave", "https://api.search.brave.com", ask_brave, read_brave, "type"},
    {search_provider::tavily, "tavily", "https://api.tavily.com", ask_tavily, read_tavily, "results"},
    {search_provider::exa, "exa", "https://api.exa.ai", ask_exa, read_exa, "answer"},
};

const provider_row* find_row(search_provider which) {
    for (const auto& each : rows)
        if (each.which == which) return &each;
    return nullptr;
}

}  // namespace

std::optional<search_provider> find_search_provider(std::string_view name) {
    if (name.empty()) return search_provider::none;
    for (const auto& each : rows)
        if (name == each.name) return each.which;
    return std::nullopt;
}

std::string default_search_url(search_provider which) {
    const auto* row = find_row(which);
    return row ? row->url : "";
}

std::string search_answer::text() const {
    if (!written.empty()) return written;
    std::string made;
    int number = 0;
    for (const auto& each : pages) {
        made += (made.empty() ? "" : "\n\n") + std::to_string(++number) + ". " + each.title;
        for (const auto* part : {&each.url, &each.text})
            if (!part->empty()) made += (made.back() == ' ' ? "" : "\n   ") + *part;
    }
    return made;
}

result<outbound::request> make_search_request(const search_question& what) {
    const auto* row = find_row(what.which);
    if (!row) return failure{errc::not_found, "no search provider is configured"};
    return row->ask(what);
}

result<search_answer> read_search_answer(search_provider which, std::string_view body, std::size_t max_results) {
    const auto* row = find_row(which);
    auto parsed = parse_json(body);
    if (!row || !parsed || !member(*parsed, row->told_by))
        return failure{errc::tool_failed, "its answer is not one of " + std::string(row ? row->name : "a provider")};
    return row->read(*parsed, max_results);
}

}  // namespace gateway::tools
