#include "gateway/tools/completion_stream.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/tools/http_status.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;

failure no_completion() { return {errc::tool_failed, "its answer is not one of the chat completions API"}; }

// A failure that a server tells inside of an answer with status 200: {"error": {"message", "code"}}.
failure reported(const json& error) {
    auto message = error.is_string() ? error.get<std::string>() : text_member(error, "message");
    auto kind = text_member(error, "type") + text_member(error, "code");
    bool is_rate_limit =
        kind.find("rate_limit") != std::string::npos || (error.is_object() && error.value("code", json()) == json(429));
    return {is_rate_limit ? errc::rate_limited : errc::tool_failed,
            "it reports a failure: " + excerpt(message.empty() ? to_text(error) : message)};
}

std::uint64_t count(const json& usage, const char* name) {
    auto found = usage.find(name);
    return found != usage.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

}  // namespace

result<void> completion_stream::feed(std::string_view bytes) {
    auto come = events_.feed(bytes);
    if (!come) return come.error();
    for (const auto& each : *come) {
        if (done_) break;
        if (each.data == "[DONE]") {
            done_ = true;
            break;
        }
        auto chunk = parse_json(each.data);
        if (!chunk) return no_completion();
        if (auto taken = take(*chunk, "delta"); !taken) return taken;
    }
    return {};
}

result<void> completion_stream::feed_object(std::string_view text) {
    auto whole = parse_json(text);
    if (!whole) return no_completion();
    auto taken = take(*whole, "message");
    done_ = true;
    return taken;
}

result<void> completion_stream::take(const json& chunk, const char* member) {
    if (!chunk.is_object()) return no_completion();
    auto error = chunk.find("error");
    if (error != chunk.end() && !error->is_null()) return reported(*error);
    if (auto name = text_member(chunk, "model"); !name.empty()) made_.model = std::move(name);
    auto usage = chunk.find("usage");
    if (usage != chunk.end() && usage->is_object())
        made_.tokens = token_count{count(*usage, "prompt_tokens"), count(*usage, "completion_tokens")};
    auto choices = chunk.find("choices");
    if (choices == chunk.end() || choices->is_null()) return {};
    if (!choices->is_array()) return no_completion();
    for (const auto& each : *choices)
        if (auto taken = take_choice(each, member); !taken) return taken;
    return {};
}

result<void> completion_stream::take_choice(const json& choice, const char* member) {
    if (!choice.is_object()) return no_completion();
    auto index = choice.value("index", json(0));
    if (!index.is_number_integer() && !index.is_null()) return no_completion();
    if (index.is_number_integer() && index != json(0)) return {};
    if (auto reason = text_member(choice, "finish_reason"); !reason.empty()) made_.finish_reason = std::move(reason);
    auto part = choice.find(member);
    if (part == choice.end() || part->is_null()) return {};
    if (!part->is_object()) return no_completion();
    refusal_ += text_member(*part, "refusal").substr(0, max_bytes_ - std::min(max_bytes_, refusal_.size()));
    auto content = part->find("content");
    return content == part->end() ? result<void>() : take_text(*content);
}

// A text, or a list of parts of which those with a text count.
result<void> completion_stream::take_text(const json& content) {
    if (content.is_null()) return {};
    if (content.is_array()) {
        for (const auto& each : content)
            if (auto taken = take_text(json(text_member(each, "text"))); !taken) return taken;
        return {};
    }
    if (!content.is_string()) return no_completion();
    has_text_ = true;
    const auto& text = content.get_ref<const std::string&>();
    if (made_.text.size() + text.size() > max_bytes_)
        return failure{errc::too_large, "its answer is larger than " + std::to_string(max_bytes_) + " bytes"};
    made_.text += text;
    return {};
}

result<completion> completion_stream::finish() const {
    if (!refusal_.empty() && made_.text.empty())
        return failure{errc::tool_failed, "the model refuses: " + excerpt(refusal_)};
    if (!done_ && made_.finish_reason.empty())
        return failure{errc::tool_failed, "its answer broke off after " + std::to_string(made_.text.size()) + " bytes"};
    if (made_.text.empty() && !may_be_empty())
        return failure{errc::tool_failed, "its answer has no text (finish_reason: " +
                                              (made_.finish_reason.empty() ? "none" : excerpt(made_.finish_reason)) +
                                              ")"};
    return made_;
}

// One that was cut before its first word is told as that by who asked.
bool completion_stream::may_be_empty() const {
    const auto& reason = made_.finish_reason;
    if (reason == "length" || reason == "content_filter") return true;
    return has_text_ && reason != "tool_calls" && reason != "function_call";
}

}  // namespace gateway::tools
