#include "gateway/tools/http_transport.hpp"

#include <utility>

#include "gateway/outbound/client.hpp"
#include "gateway/tools/event_stream.hpp"
#include "gateway/tools/http_status.hpp"

namespace gateway::tools {
namespace {

constexpr milliseconds delete_limit{2'000};
constexpr milliseconds longest_retry{60'000};
constexpr std::size_t error_body_bytes = 4096;

bool has_type(const outbound::response& answer, std::string_view type) {
    auto given = outbound::find_header(answer.fields(), "content-type");
    return given.substr(0, type.size()) == type;
}

outbound::client::options client_options() {
    outbound::client::options made;
    made.reach = outbound::address_policy::configured();
    return made;
}

class http_transport final : public transport {
  public:
    http_transport(executor ex, http_options options)
        : options_(std::move(options)), client_(ex, client_options()), changed_(ex), listening_(ex) {}

    result<void> open(transport_listener& to) override {
        listener_ = &to;
        auto parsed = outbound::parse_url(options_.url);
        if (!parsed) return parsed.error();
        url_ = *parsed;
        return {};
    }

    awaitable<failure> run() override {
        listening_.spawn("events of " + options_.name, listen());
        while (!ended_) co_await changed_.wait();
        listening_.cancel();
        co_await listening_.join();
        co_return *ended_;
    }

    void interrupt(failure why) override {
        if (!ended_) ended_ = std::move(why);
        changed_.notify_all();
    }

    awaitable<result<void>> send(std::string message, std::optional<std::uint64_t> number,
                                 milliseconds limit) override {
        co_return co_await with_timeout(exchange(std::move(message), number), limit, "the answer");
    }

    void on_initialized(const std::string& protocol) override {
        protocol_ = protocol;
        changed_.notify_all();
    }

    awaitable<void> close(bool at_once) override {
        if (at_once || session_.empty()) co_return;
        auto what = make_request("DELETE", "");
        (void)co_await with_timeout(client_.send(what), delete_limit, "the end of a session");
    }

  private:
    outbound::request make_request(const char* method, std::string body) const {
        outbound::request made;
        made.method = method;
        made.to = url_;
        made.body = std::move(body);
        for (const auto& [name, value] : options_.headers) made.fields.emplace_back(name, value);
        if (!session_.empty()) made.fields.emplace_back("Mcp-Session-Id", session_);
        if (!protocol_.empty()) made.fields.emplace_back("MCP-Protocol-Version", protocol_);
        return made;
    }

    awaitable<result<void>> exchange(std::string message, std::optional<std::uint64_t> number) {
        auto what = make_request("POST", std::move(message));
        what.fields.emplace_back("Content-Type", "application/json");
        what.fields.emplace_back("Accept", "application/json, text/event-stream");
        bool has_session = !session_.empty();
        auto answer = co_await client_.send(what);
        if (!answer) co_return answer.error();
        auto given = outbound::find_header((*answer)->fields(), "mcp-session-id");
        if (session_.empty()) session_ = given;
        if ((*answer)->status() >= 300) co_return co_await refuse(**answer, has_session);
        co_return co_await take(**answer, number);
    }

    // A refused message: the session is gone, or the server does not want it.
    awaitable<result<void>> refuse(outbound::response& answer, bool has_session) {
        auto body = co_await outbound::read_all(answer, error_body_bytes);
        auto text = body ? *body : std::string();
        if (!has_session || !is_session_gone(answer.status(), text))
            co_return refusal(answer.status(), options_.name, text);
        co_return failure{errc::unavailable, "its session expired"};
    }

    awaitable<result<void>> take(outbound::response& answer, std::optional<std::uint64_t> number) {
        result<void> taken;
        if (has_type(answer, "text/event-stream")) {
            taken = co_await take_events(answer, number);
        } else if (has_type(answer, "application/json")) {
            taken = co_await take_json(answer, number);
        }
        if (!taken) co_return taken.error();
        if (number && listener_->is_waiting(*number))
            co_return failure{errc::tool_failed, "its MCP server ended its answer without a result"};
        co_return result<void>{};
    }

    awaitable<result<void>> take_json(outbound::response& answer, std::optional<std::uint64_t> number) {
        auto body = co_await outbound::read_all(answer, options_.max_message_bytes);
        if (!body) co_return body.error();
        co_await listener_->on_text(std::move(*body), number);
        co_return result<void>{};
    }

    // Until the answer came; without `number` until the stream ends.
    awaitable<result<void>> take_events(outbound::response& answer, std::optional<std::uint64_t> number) {
        event_stream events(options_.max_message_bytes);
        while (!number || listener_->is_waiting(*number)) {
            auto piece = co_await answer.read_some();
            if (!piece) co_return piece.error();
            if (!*piece) break;
            auto come = events.feed(**piece);
            if (!come) co_return come.error();
            for (auto& each : *come)
                if (each.type == "message" && !each.data.empty())
                    co_await listener_->on_text(std::move(each.data), number);
            if (!number) remember(events);
        }
        co_return result<void>{};
    }

    void remember(const event_stream& events) {
        last_event_ = events.last_id();
        if (events.retry()) options_.retry = std::min(*events.retry(), longest_retry);
    }

    awaitable<void> listen() {
        while (protocol_.empty()) co_await changed_.wait();
        auto pause = options_.retry;
        while (true) {
            auto what = make_request("GET", "");
            what.fields.emplace_back("Accept", "text/event-stream");
            if (!last_event_.empty()) what.fields.emplace_back("Last-Event-ID", last_event_);
            auto answer = co_await client_.send(what);
            if (answer && ((*answer)->status() != 200 || !has_type(**answer, "text/event-stream")))
                co_return;  // not offered
            if (answer) (void)co_await take_events(**answer, std::nullopt);
            pause = answer ? options_.retry : std::min(pause * 2, longest_retry);
            co_await sleep_for(pause);
        }
    }

    http_options options_;
    outbound::url url_;
    outbound::client client_;
    transport_listener* listener_ = nullptr;
    std::optional<failure> ended_;
    event changed_;
    task_group listening_;
    std::string session_;
    std::string protocol_;
    std::string last_event_;
};

}  // namespace

std::unique_ptr<transport> make_http_transport(executor ex, http_options options) {
    return std::make_unique<http_transport>(std::move(ex), std::move(options));
}

}  // namespace gateway::tools
