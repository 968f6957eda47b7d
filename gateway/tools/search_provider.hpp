// How each search provider is asked, and what its answer says. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/outbound/client.hpp"

namespace gateway::tools {

enum class search_provider { none, searxng, brave, tavily, exa };

std::optional<search_provider> find_search_provider(std::string_view name);  // "" is none
// Where the provider is; searxng has no default, since everybody runs their own.
std::string default_search_url(search_provider which);

struct search_question {
    search_provider which = search_provider::none;
    std::string url;  // without the path of the API
    std::string api_key;
    std::string query;
    int max_results = 5;
};

struct found_page {
    std::string title;
    std::string url;
    std::string text;

    bool operator==(const found_page&) const = default;
};

struct search_answer {
    std::string written;  // an answer that the provider wrote; empty: it only found pages
    std::vector<found_page> pages;

    // What web_search gives: what was written; else the pages, each with its number, title, URL and text.
    std::string text() const;
    bool operator==(const search_answer&) const = default;
};

// invalid_request when the URL or the query cannot be used.
result<outbound::request> make_search_request(const search_question& what);
// Of the body of an answer with status 200; tool_failed when it is none. At most `max_results` pages.
result<search_answer> read_search_answer(search_provider which, std::string_view body, std::size_t max_results);

}  // namespace gateway::tools
