// A question to a model, as the body of POST /chat/completions of the OpenAI API. Values; any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"

namespace gateway::tools {

struct chat_request {
    std::string messages;        // a JSON array of {"role", "content"}
    std::size_t characters = 0;  // of their contents
    std::optional<double> temperature;
    std::optional<double> top_p;
    std::string stop;              // JSON, a text or a list of texts; empty: not said
    std::string reasoning_effort;  // empty: not said
    std::uint64_t max_tokens = 0;  // 0: not said
};

// What invoke_llm asks. invalid_request for an effort that is none of low, medium and high, and for an empty query.
result<chat_request> ask_model(const std::string& query, const std::string& reasoning_effort);
// The arguments of the tool COMPOSIO_SEARCH_GROQ_CHAT: {messages, model?, temperature?, …}. Which model answers is the
// gateway's to say: `model` is read and has no effect. invalid_request or unknown_field.
result<chat_request> parse_chat_arguments(const nlohmann::json& arguments);

// Names of fields that this server has refused, and that are left out from then on: servers know different ones, and
// none of those that may be left out changes what is asked.
using refused_fields = std::set<std::string>;

// With streaming, and with the usage told at its end.
std::string encode(const chat_request& what, const std::string& model, const refused_fields& without);
// Whether `body`, the answer to a request that was encoded with `without`, refuses a field that can be left out; it is
// added then.
bool learn(refused_fields& without, const chat_request& what, std::string_view body);

}  // namespace gateway::tools
