#include "gateway/tools/model.hpp"

#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/outbound/client.hpp"
#include "gateway/tools/service_failure.hpp"

namespace gateway::tools {
namespace {

constexpr std::size_t error_body_bytes = 64u << 10;
constexpr std::uint64_t bytes_a_token = 4;
constexpr const char* nothing_configured =
    "no model is configured on this gateway: set llm.base_url and llm.model in cellgate.toml (docs/model.md), and "
    "start "
    "the gateway again";

outbound::client::options client_options(const model_options& from) {
    outbound::client::options made;
    made.reach = from.reach;
    return made;
}

std::string endpoint_of(std::string base_url) {
    while (!base_url.empty() && base_url.back() == '/') base_url.pop_back();
    return base_url + "/chat/completions";
}

std::uint64_t tokens_of(std::size_t bytes) { return (bytes + bytes_a_token - 1) / bytes_a_token; }

// What one call used, added to its session's meter when it ends, however it ends.
class bill {
  public:
    bill(meter& whose, service_totals& totals, std::size_t prompt_bytes, std::size_t max_answer_bytes)
        : stream(max_answer_bytes), whose_(whose), totals_(totals), prompt_bytes_(prompt_bytes) {}
    bill(const bill&) = delete;
    bill& operator=(const bill&) = delete;
    ~bill() {
        if (!is_accepted) return;
        auto used = stream.so_far().tokens.value_or(
            token_count{tokens_of(prompt_bytes_), tokens_of(stream.so_far().text.size())});
        whose_.add(used);
        totals_.tokens.prompt += used.prompt;
        totals_.tokens.completion += used.completion;
    }

    completion_stream stream;
    bool is_accepted = false;  // the server answers: what it does is paid for

  private:
    meter& whose_;
    service_totals& totals_;
    std::size_t prompt_bytes_;
};

class openai_model final : public model {
  public:
    openai_model(executor ex, model_options options)
        : options_(std::move(options)),
          who_{"the model server", "llm", options_.api_key},
          client_(std::move(ex), client_options(options_)),
          to_(outbound::parse_url(endpoint_of(options_.base_url))) {}

    bool is_configured() const override { return !options_.base_url.empty() && !options_.name.empty(); }
    const service_totals& totals() const override { return totals_; }

    awaitable<result<completion>> complete(chat_request what, shared_meters whose) override {
        if (what.max_tokens == 0) what.max_tokens = options_.max_tokens;
        bill used(whose->model, totals_, what.messages.size(), options_.max_answer_bytes);
        std::string limit_name = who_.what + " (llm.timeout_s)";
        auto work = ask(what, whose->model, used);
        co_return co_await run_counted(totals_, std::move(work), options_.timeout, std::move(limit_name));
    }

  private:
    result<void> check(const chat_request& what) const {
        if (!is_configured()) return failure{errc::not_found, nothing_configured};
        if (!to_) return failure{to_.error().code, "llm.base_url: " + to_.error().message};
        if (what.characters > options_.max_characters)
            return failure{errc::too_large, "the query has " + std::to_string(what.characters) + " characters, and " +
                                                std::to_string(options_.max_characters) +
                                                " are allowed (llm.max_query_chars): ask in parts"};
        return {};
    }

    // `what`, `whose` and `used` outlive it: complete() waits for it.
    awaitable<result<completion>> ask(const chat_request& what, meter& whose, bill& used) {
        if (auto allowed = check(what); !allowed) co_return allowed.error();
        auto turn = co_await whose.begin(options_.per_session);
        if (!turn) co_return turn.error();
        auto answer = co_await send(what);
        if (!answer) co_return answer.error();
        used.is_accepted = true;
        auto is_read = co_await read(**answer, used.stream);
        if (!is_read) co_return service_failure(who_, is_read.error());
        auto made = used.stream.finish();
        if (!made) co_return service_failure(who_, made.error());
        co_return made;
    }

    // The answer once the server has taken the question; what it does not know is left out.
    awaitable<result<std::unique_ptr<outbound::response>>> send(const chat_request& what) {
        while (true) {
            auto without = refused_;
            auto request = make_request(encode(what, options_.name, without));
            auto answer = co_await client_.send(request);
            if (!answer) co_return service_failure(who_, answer.error());
            auto status = (*answer)->status();
            if (status == 200) co_return answer;
            auto body = co_await outbound::read_all(**answer, error_body_bytes);
            auto text = body ? *body : std::string();
            bool is_complaint = status == 400 || status == 422;
            if (!is_complaint || !learn(without, what, text))
                co_return service_refusal(who_, status, (*answer)->fields(), text);
            log::info("the model server refuses a field, which is left out from now on: {}", said_by(who_, text));
            refused_.merge(without);
        }
    }

    outbound::request make_request(std::string body) const {
        outbound::request made;
        made.method = "POST";
        made.to = *to_;
        made.fields = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json"}};
        if (!options_.api_key.empty()) made.fields.emplace_back("Authorization", "Bearer " + options_.api_key);
        made.body = std::move(body);
        return made;
    }

    awaitable<result<void>> read(outbound::response& answer, completion_stream& into) {
        auto type = outbound::find_header(answer.fields(), "content-type");
        if (type.substr(0, 17) != "text/event-stream") {
            auto body = co_await outbound::read_all(answer, options_.max_answer_bytes);
            if (!body) co_return body.error();
            co_return into.feed_object(*body);
        }
        while (!into.is_done()) {
            auto piece = co_await answer.read_some();
            if (!piece) co_return piece.error();
            if (!*piece) break;
            if (auto fed = into.feed(**piece); !fed) co_return fed.error();
        }
        co_return result<void>{};
    }

    model_options options_;
    service_name who_;
    outbound::client client_;
    result<outbound::url> to_;
    refused_fields refused_;
    service_totals totals_;
};

}  // namespace

std::unique_ptr<model> make_model(executor ex, model_options options) {
    return std::make_unique<openai_model>(std::move(ex), std::move(options));
}

}  // namespace gateway::tools
