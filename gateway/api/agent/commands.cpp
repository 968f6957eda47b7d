// POST …/bash and the commands of a session. As with cells, a client that goes away stops waiting, not the command.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gateway/api/agent/bash_request.hpp"
#include "gateway/api/agent/command_calls.hpp"
#include "gateway/api/agent/command_json.hpp"
#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/http/late_body.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

std::string command_text(const sessions::command& from) { return dump(command_object(from)); }

// A body of one piece.
http::body_source source_of(std::string text) {
    auto rest = std::make_shared<std::optional<std::string>>(std::move(text));
    return [rest]() -> awaitable<std::optional<std::string>> { co_return std::exchange(*rest, std::nullopt); };
}

// The command once it has ended.
http::body_source answer_of(shared_session of, const std::string& command_id, const std::string& request_id,
                            milliseconds keep_alive) {
    auto find = [of, command_id]() -> awaitable<result<http::body_source>> {
        auto ended = co_await of->commands().wait_for(command_id);
        if (!ended) co_return ended.error();
        co_return source_of(command_text(**ended));
    };
    auto tell = [request_id](const failure& why) {
        return std::get<std::string>(http::error_response(why, http::error_style::agent, request_id).body);
    };
    return http::make_late_body(std::move(find), std::move(tell), keep_alive);
}

awaitable<http::response> run_bash(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto object = read_request(from.body, request_form::plain);
    if (!object) co_return refuse(object.error(), from);
    auto options = parse_bash(*object, bash_form::rest);
    if (!options) co_return refuse(options.error(), from);
    const bool background = options->background;
    auto starting = (*found)->commands().start(std::move(*options));
    auto begun = co_await std::move(starting);
    if (!begun) co_return refuse(begun.error(), from);
    auto which = (*found)->commands().find(begun->cell_id);
    http::response answer;
    if (background && which)
        answer = http::json_response(command_text(*which));
    else
        answer.body = answer_of(*found, begun->cell_id, from.id, with.options.keep_alive);
    answer.headers.emplace_back("x-command-id", begun->cell_id);
    co_return answer;
}

// {"items":[…],"next_after":…}, one command at a time.
class command_page {
  public:
    command_page(std::vector<sessions::shared_command> all, bool more) : all_(std::move(all)), more_(more) {}

    awaitable<std::optional<std::string>> next() {
        std::optional<std::string> piece;
        if (at_ < all_.size()) {
            piece = (at_ == 0 ? "{\"items\":[" : ",") + command_text(*all_[at_]);
            ++at_;
        } else if (!std::exchange(ended_, true)) {
            piece = (all_.empty() ? "{\"items\":[" : "") +
                    (more_ ? fmt::format("],\"next_after\":{}}}", all_.back()->seq_first) : std::string("]}"));
        }
        co_return piece;
    }

  private:
    std::vector<sessions::shared_command> all_;
    bool more_;
    std::size_t at_ = 0;
    bool ended_ = false;
};

awaitable<http::response> list_commands(context& with, http::request& from) {
    auto good = check_query(from, {"user_id", "after", "limit"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto page = query_page(from);
    if (!page) co_return refuse(page.error(), from);
    auto all = (*found)->commands().list(page->after, page->limit + 1);
    const bool more = all.size() > page->limit;
    if (more) all.pop_back();
    auto items = std::make_shared<command_page>(std::move(all), more);
    http::response answer;
    answer.body = http::body_source([items] { return items->next(); });
    co_return answer;
}

http::response answer_with(const shared_session& session, const std::string& command_id, const http::request& from) {
    auto which = session->commands().find(command_id);
    if (which) return http::json_response(command_text(*which));
    return refuse(
        {errc::command_not_found, fmt::format("there is no command {} in session {}", command_id, session->id())},
        from);
}

awaitable<http::response> get_command(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    co_return answer_with(*found, from.parameters.at(1), from);
}

// What `parse` takes of the body's fields; others are refused.
template <class Parse>
auto read_call(const http::request& from, Parse parse) -> result<decltype(parse(std::declval<fields&>()))> {
    auto object = read_request(from.body, request_form::plain);
    if (!object) return object.error();
    fields given(*object);
    auto call = parse(given);
    if (auto valid = given.finish(); !valid) return valid.error();
    return call;
}

awaitable<http::response> signal_command(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto call = read_call(from, parse_signal);
    if (!call) co_return refuse(call.error(), from);
    const auto& id = from.parameters.at(1);
    auto done = (*found)->commands().signal(id, call->number);
    if (!done) co_return refuse(done.error(), from);
    co_return answer_with(*found, id, from);
}

awaitable<http::response> write_stdin(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto call = read_call(from, parse_stdin);
    if (!call) co_return refuse(call.error(), from);
    const auto& id = from.parameters.at(1);
    auto done = (*found)->commands().write(id, std::move(call->data), call->eof);
    if (!done) co_return refuse(done.error(), from);
    co_return answer_with(*found, id, from);
}

}  // namespace

void add_command_routes(http::router& routes, const std::shared_ptr<context>& with) {
    using http::scope;
    add_route(routes, with, "POST", "/api/v1/sessions/{}/bash", scope::execute, run_bash);
    add_route(routes, with, "GET", "/api/v1/sessions/{}/commands", scope::execute, list_commands);
    add_route(routes, with, "GET", "/api/v1/sessions/{}/commands/{}", scope::execute, get_command);
    add_route(routes, with, "POST", "/api/v1/sessions/{}/commands/{}/signal", scope::execute, signal_command);
    add_route(routes, with, "POST", "/api/v1/sessions/{}/commands/{}/stdin", scope::execute, write_stdin);
}

}  // namespace gateway::api::agent
