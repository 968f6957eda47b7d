#include "gateway/tools/chat_request.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/tools/json_text.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;

constexpr const char* instruction =
    "Your answer goes to a program as it is. Give what is asked for and nothing else: no introduction, no closing "
    "words. Where a format is named, keep to it exactly.";
constexpr std::uint64_t most_tokens = 1'000'000'000;

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

bool is_effort(const std::string& text) { return text == "low" || text == "medium" || text == "high"; }

// Code points: what people count.
std::size_t count_characters(const std::string& text) {
    auto begins = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

bool is_role(const std::string& text) {
    return text == "system" || text == "developer" || text == "user" || text == "assistant";
}

result<void> take_messages(const json& given, chat_request& into) {
    const char* expected =
        "messages must be a list of {\"role\": \"system\", \"user\" or \"assistant\", \"content\": TEXT}";
    if (!given.is_array() || given.empty()) return refuse(expected);
    for (const auto& each : given) {
        auto content = each.is_object() ? each.find("content") : each.end();
        if (!each.is_object() || each.size() != 2 || content == each.end() || !content->is_string() ||
            !is_role(text_member(each, "role")))
            return refuse(expected);
        into.characters += count_characters(content->get_ref<const std::string&>());
    }
    into.messages = to_text(given);
    return {};
}

result<void> take_number(const json& given, const char* name, double most, std::optional<double>& into) {
    if (!given.is_number() || given.get<double>() < 0 || given.get<double>() > most)
        return refuse(std::string(name) + " must be a number from 0 to " + std::to_string(static_cast<int>(most)));
    into = given.get<double>();
    return {};
}

result<void> take_tokens(const json& given, const std::string& name, chat_request& into) {
    if (!given.is_number_unsigned() || given.get<std::uint64_t>() < 1 || given.get<std::uint64_t>() > most_tokens)
        return refuse(name + " must be a whole number from 1 to " + std::to_string(most_tokens));
    into.max_tokens = given.get<std::uint64_t>();
    return {};
}

result<void> take_stop(const json& given, chat_request& into) {
    bool is_list = given.is_array() && given.size() <= 4 &&
                   std::all_of(given.begin(), given.end(), [](const json& each) { return each.is_string(); });
    if (!given.is_string() && !is_list) return refuse("stop must be a text, or a list of at most 4 texts");
    into.stop = to_text(given);
    return {};
}

result<void> take_effort(const json& given, chat_request& into) {
    if (!given.is_string() || !is_effort(given.get<std::string>()))
        return refuse("reasoning_effort must be \"low\", \"medium\" or \"high\"");
    into.reasoning_effort = given.get<std::string>();
    return {};
}

result<void> take(const std::string& name, const json& given, chat_request& into) {
    if (name == "messages") return take_messages(given, into);
    if (given.is_null()) return {};
    if (name == "temperature") return take_number(given, "temperature", 2, into.temperature);
    if (name == "top_p") return take_number(given, "top_p", 1, into.top_p);
    if (name == "max_tokens" || name == "max_completion_tokens") return take_tokens(given, name, into);
    if (name == "stop") return take_stop(given, into);
    if (name == "reasoning_effort") return take_effort(given, into);
    if (name == "model") return given.is_string() ? result<void>() : refuse("model must be a text");
    return failure{errc::unknown_field, "unknown argument \"" + name.substr(0, 100) +
                                            "\": a question has messages, and may have model, temperature, top_p, "
                                            "max_tokens, max_completion_tokens, stop and reasoning_effort"};
}

}  // namespace

result<chat_request> ask_model(const std::string& query, const std::string& reasoning_effort) {
    if (query.empty()) return refuse("query is empty: say what the model is to do");
    if (!reasoning_effort.empty() && !is_effort(reasoning_effort))
        return refuse("reasoning_effort must be \"low\", \"medium\" or \"high\"");
    chat_request made;
    json messages =
        json::array({{{"role", "system"}, {"content", instruction}}, {{"role", "user"}, {"content", query}}});
    made.messages = to_text(messages);
    made.characters = count_characters(query);
    made.reasoning_effort = reasoning_effort;
    return made;
}

result<chat_request> parse_chat_arguments(const json& arguments) {
    chat_request made;
    for (const auto& [name, value] : arguments.items())
        if (auto taken = take(name, value, made); !taken) return taken.error();
    if (made.messages.empty()) return refuse("messages is missing: a list of {\"role\", \"content\"}");
    return made;
}

std::string encode(const chat_request& what, const std::string& model, const refused_fields& without) {
    json body = {{"model", model}, {"messages", json::parse(what.messages)}, {"stream", true}};
    auto add = [&](const char* name, json value) {
        if (without.count(name) == 0) body[name] = std::move(value);
    };
    add("stream_options", {{"include_usage", true}});
    if (what.temperature) add("temperature", *what.temperature);
    if (what.top_p) add("top_p", *what.top_p);
    if (!what.stop.empty()) body["stop"] = json::parse(what.stop);
    if (!what.reasoning_effort.empty()) add("reasoning_effort", what.reasoning_effort);
    // The older name is what most servers know; those that refuse it name the newer one.
    if (what.max_tokens > 0)
        body[without.count("max_tokens") > 0 ? "max_completion_tokens" : "max_tokens"] = what.max_tokens;
    return to_text(body);
}

bool learn(refused_fields& without, const chat_request& what, std::string_view body) {
    auto is_refused = [&](bool was_sent, const char* name, std::string_view mentioned) {
        return was_sent && body.find(mentioned) != std::string_view::npos && without.insert(name).second;
    };
    return is_refused(what.max_tokens > 0, "max_tokens", "max_completion_tokens") ||
           is_refused(true, "stream_options", "stream_options") ||
           is_refused(what.temperature.has_value(), "temperature", "temperature") ||
           is_refused(what.top_p.has_value(), "top_p", "top_p") ||
           is_refused(!what.reasoning_effort.empty(), "reasoning_effort", "reasoning_effort");
}

}  // namespace gateway::tools
