// The answer of POST /chat/completions: server-sent events, or one JSON object from a server that does not stream, to
// the text of its first choice. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/tools/event_stream.hpp"
#include "gateway/tools/meter.hpp"

namespace gateway::tools {

struct completion {
    std::string text;
    std::string finish_reason;          // "stop", "length", "content_filter", …; empty: not said
    std::string model;                  // as the server calls it
    std::optional<token_count> tokens;  // where the server told them

    bool operator==(const completion&) const = default;
};

class completion_stream {
  public:
    // `max_bytes` of one event, and of the text.
    explicit completion_stream(std::size_t max_bytes) : events_(max_bytes), max_bytes_(max_bytes) {}

    // The next bytes of the body. tool_failed with what the server said when it reports a failure, or with what is
    // wrong when this is no completion; rate_limited; too_large. The stream is over then.
    result<void> feed(std::string_view bytes);
    // The whole body of an answer that is one object.
    result<void> feed_object(std::string_view json);
    bool is_done() const { return done_; }  // nothing more will come
    // What there is, which may be an empty text. tool_failed when the answer ended before it was complete, or says
    // nothing at all.
    result<completion> finish() const;
    const completion& so_far() const { return made_; }

  private:
    result<void> take(const nlohmann::json& chunk, const char* member);
    result<void> take_choice(const nlohmann::json& choice, const char* member);
    result<void> take_text(const nlohmann::json& content);
    bool may_be_empty() const;

    event_stream events_;
    std::size_t max_bytes_;
    completion made_;
    std::string refusal_;
    bool has_text_ = false;  // be it empty
    bool done_ = false;
};

}  // namespace gateway::tools
