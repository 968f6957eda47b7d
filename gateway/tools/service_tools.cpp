#include "gateway/tools/service_tools.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/tools/execute_response.hpp"
#include "gateway/tools/json_text.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;

constexpr const char* toolkit = "COMPOSIO_SEARCH";
constexpr std::size_t most_arguments_bytes = 4u << 20;  // a model takes less, and taking them apart holds the io thread
constexpr const char* chat_schema = R"({"type":"object","required":["messages"],"properties":{
"messages":{"type":"array","minItems":1,"items":{"type":"object","required":["role","content"],"properties":{
"role":{"enum":["system","developer","user","assistant"]},"content":{"type":"string"}}}},
"model":{"type":"string","description":"Has no effect: the gateway's configuration names the model"},
"temperature":{"type":"number","minimum":0,"maximum":2},"top_p":{"type":"number","minimum":0,"maximum":1},
"max_tokens":{"type":"integer","minimum":1},"max_completion_tokens":{"type":"integer","minimum":1},
"stop":{"type":["string","array"]},"reasoning_effort":{"enum":["low","medium","high"]}}})";

constexpr const char* answer_schema =
    R"({"type":"object","required":["content"],"properties":{"content":{"type":"string","description":"What is looked for"}}})";

// The answer as the chat completions API has it.
json chat_data(const completion& from) {
    json made = {{"model", from.model},
                 {"choices",
                  {{{"index", 0},
                    {"message", {{"role", "assistant"}, {"content", from.text}}},
                    {"finish_reason", from.finish_reason.empty() ? json(nullptr) : json(from.finish_reason)}}}}};
    if (from.tokens)
        made["usage"] = {{"prompt_tokens", from.tokens->prompt},
                         {"completion_tokens", from.tokens->completion},
                         {"total_tokens", from.tokens->total()}};
    return made;
}

// The answer as Exa has it.
json answer_data(const search_answer& from) {
    json made = {{"answer", from.text()}, {"citations", json::array()}};
    for (const auto& each : from.pages)
        made["citations"].push_back({{"title", each.title}, {"url", each.url}, {"text", each.text}});
    return made;
}

result<std::string> parse_answer_arguments(const json& arguments) {
    for (const auto& [name, value] : arguments.items())
        if (name != "content")
            return failure{errc::unknown_field,
                           "unknown argument \"" + name.substr(0, 100) + "\": a search has content"};
    auto content = text_member(arguments, "content");
    if (content.empty()) return failure{errc::invalid_request, "content must be a text: what is looked for"};
    return content;
}

class service_tools final : public toolbox {
  public:
    service_tools(toolbox& others, model& asked, web_search& searched)
        : others_(others), model_(asked), search_(searched) {}

    awaitable<result<std::string>> execute(std::string slug, std::string arguments_json, tool_caller whose) override {
        auto known = normalized_slug(slug);
        if (known != chat_slug && known != answer_slug)
            co_return co_await others_.execute(std::move(slug), std::move(arguments_json), std::move(whose));
        if (arguments_json.size() > most_arguments_bytes)
            co_return failure{errc::too_large, "arguments of over " + std::to_string(most_arguments_bytes) +
                                                   " bytes: a model or a search takes less; ask about a part"};
        auto arguments = parse_json(arguments_json);
        if (!arguments || !arguments->is_object())
            co_return failure{errc::invalid_request, "arguments must be a JSON object"};
        if (known == chat_slug) co_return co_await chat(*arguments, std::move(whose.used));
        co_return co_await answer(*arguments, std::move(whose.used));
    }

    awaitable<std::vector<tool_description>> list() override {
        auto made = co_await others_.list();
        if (model_.is_configured())
            made.push_back({chat_slug, toolkit, "GROQ_CHAT", "Asks the model of this gateway", chat_schema});
        if (search_.is_configured())
            made.push_back({answer_slug, toolkit, "EXA_ANSWER", "Searches the web and answers", answer_schema});
        co_return made;
    }

    bool empty() const override { return others_.empty() && !model_.is_configured() && !search_.is_configured(); }
    awaitable<void> stop() override { co_await others_.stop(); }

  private:
    // `arguments` outlives it.
    awaitable<result<std::string>> chat(const json& arguments, shared_meters whose) {
        auto what = parse_chat_arguments(arguments);
        if (!what) co_return what.error();
        auto answer = co_await model_.complete(std::move(*what), std::move(whose));
        if (!answer) co_return answer.error();
        co_return execute_response(to_text(chat_data(*answer)));
    }

    awaitable<result<std::string>> answer(const json& arguments, shared_meters whose) {
        auto query = parse_answer_arguments(arguments);
        if (!query) co_return query.error();
        auto found = co_await search_.search(std::move(*query), std::move(whose));
        if (!found) co_return found.error();
        co_return execute_response(to_text(answer_data(*found)));
    }

    toolbox& others_;
    model& model_;
    web_search& search_;
};

}  // namespace

std::unique_ptr<toolbox> make_service_tools(toolbox& others, model& asked, web_search& searched) {
    return std::make_unique<service_tools>(others, asked, searched);
}

}  // namespace gateway::tools
