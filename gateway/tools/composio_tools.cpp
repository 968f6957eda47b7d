#include "gateway/tools/composio_tools.hpp"

#include <algorithm>
#include <boost/asio/thread_pool.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/base/percent.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/outbound/client.hpp"
#include "gateway/tools/composio_page.hpp"
#include "gateway/tools/json_text.hpp"
#include "gateway/tools/service_failure.hpp"
#include "gateway/tools/slug_table.hpp"

namespace gateway::tools {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t error_body_bytes = 64u << 10;
constexpr std::size_t work_for_pool = 64u << 10;  // taking it apart can take a millisecond then
constexpr std::size_t most_tools = 5'000;
constexpr int most_pages = 100;            // of one list
constexpr milliseconds rest_time{10'000};  // after a list that failed

outbound::client::options client_options(const composio_options& from) {
    outbound::client::options made;
    made.reach = from.reach;
    return made;
}

class composio_tools final : public toolbox {
  public:
    composio_tools(executor ex, toolbox& others, composio_options options)
        : others_(others),
          options_(std::move(options)),
          who_{"Composio", "tools.composio", options_.api_key},
          client_(ex, client_options(options_)),
          listed_(ex),
          listing_(ex) {
        for (auto& each : options_.tools) each = normalized_slug(each);
    }

    awaitable<result<std::string>> execute(std::string slug, std::string arguments, tool_caller whose) override {
        auto known = normalized_slug(slug);
        if (!may_be_ours(known))
            co_return co_await others_.execute(std::move(slug), std::move(arguments), std::move(whose));
        auto work = call(known, std::move(arguments), std::move(whose));
        auto answer = co_await with_timeout(std::move(work), options_.timeout, "Composio (tools.timeout_s)");
        if (!answer)
            co_return failure{answer.error().code, known + ": " + answer.error().message, answer.error().retry_after};
        co_return answer;
    }

    awaitable<std::vector<tool_description>> list() override {
        auto made = co_await others_.list();
        // Until the listing ends, which it does in time: who looks here whether a tool may be called must not see less
        // than a call that follows.
        auto fresh = co_await renew();
        if (!fresh) log::warning("the tools of the Composio account are not listed: {}", fresh.error().message);
        for (const auto& [slug, each] : tools_)
            made.push_back({slug, slug_part(each.toolkit), each.name, each.description, each.input_schema});
        co_return made;
    }

    bool empty() const override { return false; }
    awaitable<void> stop() override {
        co_await others_.stop();
        listing_.cancel();
        co_await listing_.join();
        decoders_.join();
    }

  private:
    bool is_ours(const composio_tool& tool) const {
        auto has = [](const auto& list, const std::string& what) {
            return std::find(list.begin(), list.end(), what) != list.end();
        };
        return has(options_.tools, tool.slug) || has(options_.toolkits, tool.toolkit);
    }
    bool may_be_ours(const std::string& slug) const {
        auto begins = [&](const std::string& toolkit) { return slug.starts_with(slug_part(toolkit) + "_"); };
        return std::any_of(options_.toolkits.begin(), options_.toolkits.end(), begins) ||
               std::find(options_.tools.begin(), options_.tools.end(), slug) != options_.tools.end();
    }

    awaitable<result<std::string>> call(std::string slug, std::string arguments, tool_caller whose) {
        if (!arguments.starts_with('{') || is_too_deep(arguments) || !nlohmann::json::accept(arguments))
            co_return failure{errc::invalid_request, "arguments must be a JSON object, nested at most " +
                                                         std::to_string(max_json_depth) + " deep"};
        auto fresh = co_await renew();
        auto found = tools_.find(slug);
        if (found == tools_.end() && !fresh) co_return fresh.error();
        if (found == tools_.end())
            co_return failure{errc::not_found, "the Composio account has no such tool; %tools lists those there are"};
        auto user = options_.user_id.empty() ? whose.user_id : options_.user_id;
        auto text = composio_call(found->second, arguments, user, whose.account);
        auto body = co_await ask("POST", "/tools/execute/" + slug, std::move(text));
        if (!body) co_return body.error();
        if (body->size() <= work_for_pool) co_return read_composio_answer(*body);
        auto read = [text = std::move(*body)] { return read_composio_answer(text); };
        co_return co_await run_on(decoders_, std::move(read));
    }

    // The list is not older than it may be, when this succeeds. Whoever asks meanwhile waits for the same listing,
    // which is nobody's: a caller that goes, or whose time is over, ends it for no other.
    awaitable<result<void>> renew() {
        if (!is_listing_ && clock::now() < next_list_) co_return last_list_;
        if (!std::exchange(is_listing_, true)) listing_.spawn("listing Composio's tools", list_anew());
        while (is_listing_) {
            co_await listed_.wait();
            auto state = co_await asio::this_coro::cancellation_state;
            if (state.cancelled() != asio::cancellation_type::none)
                co_return failure{errc::cancelled, "the call was cancelled"};
        }
        co_return last_list_;
    }

    awaitable<void> list_anew() {
        // However this ends, those who wait must go on.
        struct listing {
            composio_tools& of;
            explicit listing(composio_tools& which) : of(which) {
                of.last_list_ = failure{errc::unavailable, "the listing of Composio's tools was broken off"};
            }
            listing(const listing&) = delete;
            ~listing() {
                of.is_listing_ = false;
                of.listed_.notify_all();
            }
        } now(*this);
        auto work = list_all();
        auto found =
            co_await with_timeout(std::move(work), options_.timeout, "listing Composio's tools (tools.timeout_s)");
        next_list_ = clock::now() + (found ? options_.keep_list : rest_time);
        last_list_ = found ? result<void>() : result<void>(found.error());
        if (found) tools_ = std::move(*found);
    }

    using tool_map = std::map<std::string, composio_tool>;

    awaitable<result<tool_map>> list_all() {
        tool_map made;
        for (const auto& toolkit : options_.toolkits) {
            auto added = co_await add_pages("toolkit_slug=" + toolkit, made);
            if (!added) co_return added.error();
        }
        for (const auto& slug : options_.tools) {
            auto added = co_await add_pages("tool_slugs=" + slug, made);
            if (!added) co_return added.error();
        }
        co_return made;
    }

    // `into` outlives it.
    awaitable<result<void>> add_pages(std::string query, tool_map& into) {
        std::string cursor;
        for (int page = 0; page < most_pages && into.size() < most_tools; ++page) {
            auto more = cursor.empty() ? std::string() : "&cursor=" + cursor;
            auto body = co_await ask("GET", "/tools?limit=500&toolkit_versions=latest&" + query + more, "");
            if (!body) co_return body.error();
            auto read = [text = std::move(*body)] { return read_composio_page(text); };
            auto found = co_await run_on(decoders_, std::move(read));
            if (!found) co_return found.error();
            for (auto& each : found->tools)
                if (is_ours(each) && into.size() < most_tools) into[each.slug] = std::move(each);
            cursor = percent_encode(found->next_cursor);
            if (cursor.empty()) co_return result<void>();
        }
        co_return result<void>();
    }

    // The body of an answer with status 200.
    awaitable<result<std::string>> ask(std::string method, std::string path, std::string body) {
        auto to = outbound::parse_url(outbound::without_slash(options_.base_url) + "/api/v3.1" + path);
        if (!to) co_return failure{to.error().code, "tools.composio.base_url: " + to.error().message};
        outbound::request what;
        what.method = std::move(method);
        what.to = std::move(*to);
        what.fields = {
            {"x-api-key", options_.api_key}, {"Accept", "application/json"}, {"Accept-Encoding", "identity"}};
        if (!body.empty()) what.fields.emplace_back("Content-Type", "application/json");
        what.body = std::move(body);
        auto answer = co_await client_.send(std::move(what));
        if (!answer) co_return service_failure(who_, answer.error());
        auto status = (*answer)->status();
        bool is_good = 200 <= status && status < 300;
        auto text = co_await outbound::read_all(**answer, is_good ? options_.max_result_bytes : error_body_bytes);
        if (!text && is_good) co_return service_failure(who_, text.error());
        if (is_good) co_return text;
        auto said = text ? *text : std::string();
        bool is_callers = status == 400 || status == 422;  // what the tool was given, or there is no connection for it
        if (is_callers) co_return failure{errc::invalid_request, "Composio refuses the call: " + said_by(who_, said)};
        co_return service_refusal(who_, status, (*answer)->fields(), said);
    }

    toolbox& others_;
    composio_options options_;
    service_name who_;
    outbound::client client_;
    asio::thread_pool decoders_{1};
    tool_map tools_;
    event listed_;
    bool is_listing_ = false;
    clock::time_point next_list_{};
    result<void> last_list_;
    task_group listing_;
};

}  // namespace

std::unique_ptr<toolbox> make_composio_tools(executor ex, toolbox& others, composio_options options) {
    return std::make_unique<composio_tools>(std::move(ex), others, std::move(options));
}

}  // namespace gateway::tools
