#include "gateway/tools/web_search.hpp"

#include <utility>

#include "gateway/outbound/client.hpp"
#include "gateway/tools/service_failure.hpp"

namespace gateway::tools {
namespace {

constexpr std::size_t error_body_bytes = 64u << 10;
constexpr const char* nothing_configured =
    "no search provider is configured on this gateway: set search.provider to searxng, brave, tavily or exa in "
    "cellgate.toml (docs/model.md), and start the gateway again";
constexpr const char* searxng_advice =
    "; a SearXNG server answers 403 until its settings.yml lists json in search.formats";

outbound::client::options client_options(const search_options& from) {
    outbound::client::options made;
    made.reach = from.reach;
    return made;
}

class provider_search final : public web_search {
  public:
    provider_search(executor ex, search_options options)
        : options_(std::move(options)),
          who_{"the search provider", "search", options_.api_key},
          client_(std::move(ex), client_options(options_)) {
        if (options_.url.empty()) options_.url = default_search_url(options_.provider);
    }

    bool is_configured() const override { return options_.provider != search_provider::none; }
    const service_totals& totals() const override { return totals_; }

    awaitable<result<search_answer>> search(std::string query, shared_meters whose) override {
        std::string limit_name = who_.what + " (search.timeout_s)";
        auto work = ask(query, whose->search);
        co_return co_await run_counted(totals_, std::move(work), options_.timeout, std::move(limit_name));
    }

  private:
    // `query` and `whose` outlive it: search() waits for it.
    awaitable<result<search_answer>> ask(const std::string& query, meter& whose) {
        if (!is_configured()) co_return failure{errc::not_found, nothing_configured};
        search_question what{options_.provider, options_.url, options_.api_key, query, options_.max_results};
        auto request = make_search_request(what);
        if (!request) co_return request.error();
        auto turn = co_await whose.begin(options_.per_session);
        if (!turn) co_return turn.error();
        auto answer = co_await client_.send(*request);
        if (!answer) co_return service_failure(who_, answer.error());
        if ((*answer)->status() != 200) co_return co_await refusal(**answer);
        auto body = co_await outbound::read_all(**answer, options_.max_answer_bytes);
        if (!body) co_return service_failure(who_, body.error());
        auto made = read_search_answer(options_.provider, *body, static_cast<std::size_t>(options_.max_results));
        if (!made) co_return service_failure(who_, made.error());
        co_return made;
    }

    awaitable<failure> refusal(outbound::response& answer) {
        auto body = co_await outbound::read_all(answer, error_body_bytes);
        auto made = service_refusal(who_, answer.status(), answer.fields(), body ? *body : std::string());
        if (answer.status() == 403 && options_.provider == search_provider::searxng) made.message += searxng_advice;
        co_return made;
    }

    search_options options_;
    service_name who_;
    outbound::client client_;
    service_totals totals_;
};

}  // namespace

std::unique_ptr<web_search> make_web_search(executor ex, search_options options) {
    return std::make_unique<provider_search>(std::move(ex), std::move(options));
}

}  // namespace gateway::tools
