#include "gateway/config/service_settings.hpp"

#include "gateway/config/rules.hpp"

namespace gateway::config {
namespace {

using namespace rules;

template <auto member>
field llm(config& of) {
    return &(of.llm.*member);
}

template <auto member>
field search(config& of) {
    return &(of.search.*member);
}

using M = llm_section;
using S = search_section;

constexpr integer many = 1'000'000;
constexpr integer most = 1'000'000'000'000;

}  // namespace

std::vector<setting> llm_settings() {
    return {
        {"llm.base_url", llm<&M::base_url>, text("an http or https URL, or empty", is_http_url),
         "Endpoint of the OpenAI chat completions API that invoke_llm asks, such as https://api.openai.com/v1; empty: "
         "none"},
        {"llm.model", llm<&M::model>, any(), "Name of the model"},
        {"llm.api_key",
         llm<&M::api_key>,
         text("visible ASCII characters, or empty", is_key),
         "Key of that endpoint; empty: none is sent",
         {},
         {},
         true},
        {"llm.api_key_file", llm<&M::api_key_file>, path("a readable file", is_readable_file),
         "File that holds the key instead, on its first line"},
        {"llm.timeout_s", llm<&M::timeout_s>, positive_seconds(),
         "Seconds that a call may take, with its wait for a turn"},
        {"llm.max_tokens", llm<&M::max_tokens>, number(0, 1'000'000'000),
         "Tokens of an answer; 0: the model's own limit"},
        {"llm.max_query_chars", llm<&M::max_query_chars>, number(1, 1'000'000'000), "Characters of a query"},
        {"llm.max_answer_bytes", llm<&M::max_answer_bytes>, bytes(1024), "Largest answer"},
        {"llm.max_calls_per_session", llm<&M::max_calls_per_session>, number(0, most),
         "Calls that a session may make; 0: no limit"},
        {"llm.max_tokens_per_session", llm<&M::max_tokens_per_session>, number(0, most),
         "Tokens, of queries and answers, after which a session may make no other call; 0: no limit"},
        {"llm.max_concurrent_per_session", llm<&M::max_concurrent_per_session>, number(0, many),
         "Calls of a session at once; further ones wait for their turn; 0: no limit"},
    };
}

std::vector<setting> search_settings() {
    return {
        {"search.provider", search<&S::provider>, one_of({"", "searxng", "brave", "tavily", "exa"}),
         "What web_search asks; empty: nothing"},
        {"search.url", search<&S::url>, text("an http or https URL, or empty", is_http_url),
         "Where the provider is, without the path of its API; searxng needs it", "the provider's own"},
        {"search.api_key",
         search<&S::api_key>,
         text("visible ASCII characters, or empty", is_key),
         "Key of the provider",
         {},
         {},
         true},
        {"search.api_key_file", search<&S::api_key_file>, path("a readable file", is_readable_file),
         "File that holds the key instead, on its first line"},
        {"search.max_results", search<&S::max_results>, number(1, 20), "Pages that a search finds"},
        {"search.timeout_s", search<&S::timeout_s>, positive_seconds(),
         "Seconds that a search may take, with its wait for a turn"},
        {"search.max_answer_bytes", search<&S::max_answer_bytes>, bytes(1024), "Largest answer of the provider"},
        {"search.max_calls_per_session", search<&S::max_calls_per_session>, number(0, most),
         "Searches that a session may make; 0: no limit"},
        {"search.max_concurrent_per_session", search<&S::max_concurrent_per_session>, number(0, many),
         "Searches of a session at once; further ones wait for their turn; 0: no limit"},
    };
}

}  // namespace gateway::config
