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

template <auto member>
field accounts(config& of) {
    return &(of.accounts.*member);
}

template <auto member>
field composio(config& of) {
    return &(of.tools.composio.*member);
}

using A = accounts_section;
using C = composio_section;
using M = llm_section;
using S = search_section;

constexpr integer many = 1'000'000;
constexpr integer most = 1'000'000'000'000;

}  // namespace

std::vector<setting> accounts_settings() {
    return {
        {"accounts.key_file", accounts<&A::key_file>, path("a file that only its owner may read, or empty"),
         "File with the key that the accounts' secrets are sealed with, 64 hex digits",
         "accounts.key, in the data directory"},
        {"accounts.allow_networks", accounts<&A::allow_networks>,
         text("a network such as 10.1.0.0/16, or an address", is_network),
         "Networks that accounts may reach besides the public ones: those of services in your own network"},
        {"accounts.plain_http", accounts<&A::plain_http>, any(),
         "Accounts may have http:// URLs, over which everybody on the way reads their secrets"},
        {"accounts.timeout_s", accounts<&A::timeout_s>, positive_seconds(),
         "Seconds that a call of an account may take, with its redirects and its wait for a turn"},
        {"accounts.max_response_bytes", accounts<&A::max_response_bytes>, bytes(1024), "Largest answer of a service"},
        {"accounts.max_calls_per_session", accounts<&A::max_calls_per_session>, number(0, most),
         "Calls that a session may make; 0: no limit"},
        {"accounts.max_concurrent_per_session", accounts<&A::max_concurrent_per_session>, number(0, many),
         "Calls of a session at once; further ones wait for their turn; 0: no limit"},
        {"accounts.link_timeout_s", accounts<&A::link_timeout_s>, number(10, 86'400),
         "Seconds in which a link that connects an account may be used"},
        {"accounts.max_links_per_user", accounts<&A::max_links_per_user>, number(1, many),
         "Such links of a user that wait at once"},
    };
}

std::vector<setting> composio_settings() {
    return {
        {"tools.composio.base_url", composio<&C::base_url>, text("an http or https URL", is_some_http_url),
         "Where the API of the Composio account is, whose tools cells may call"},
        {"tools.composio.api_key",
         composio<&C::api_key>,
         text("visible ASCII characters, or empty", is_key),
         "Key of that account; empty: there is none",
         {},
         {},
         true},
        {"tools.composio.api_key_file", composio<&C::api_key_file>, path("a readable file", is_readable_file),
         "File that holds the key instead, on its first line"},
        {"tools.composio.toolkits", composio<&C::toolkits>,
         text("a toolkit's slug, such as github", is_composio_toolkit), "Toolkits of it whose tools may be called"},
        {"tools.composio.tools", composio<&C::tools>, text("a tool's slug, such as GMAIL_SEND_EMAIL", is_tool_slug),
         "Single tools of it that may be called besides"},
        {"tools.composio.user_id", composio<&C::user_id>, any(), "User ID whose connections its tools use",
         "that of the calling session"},
    };
}

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
