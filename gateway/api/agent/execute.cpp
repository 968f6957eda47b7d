// POST …/execute: everything is checked before the headers; then they go out at once, spaces keep the client from
// timing out, and the cell comes last. A client that goes away stops waiting, not the cell.
#include "gateway/api/agent/cell_json.hpp"
#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/execute_request.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/http/late_body.hpp"

namespace gateway::api::agent {
namespace {

// The cell once it has ended.
http::body_source answer_of(shared_session of, const std::string& cell_id, const std::string& request_id,
                            const agent_options& options) {
    auto find = [of, cell_id, options]() -> awaitable<result<http::body_source>> {
        auto ended = co_await of->wait_for(cell_id);
        if (!ended) co_return ended.error();
        auto writer = std::make_shared<cell_writer>(of, **ended, options);
        co_return http::body_source([writer] { return writer->next(); });
    };
    auto tell = [request_id](const failure& why) {
        return std::get<std::string>(http::error_response(why, http::error_style::agent, request_id).body);
    };
    return http::make_late_body(std::move(find), std::move(tell), options.keep_alive);
}

// A large one in the pool.
awaitable<result<request_object>> read_body(context& with, http::request& from) {
    if (!with.options.pool || from.body.size() <= most_request_bytes)
        co_return read_request(from.body, request_form::with_code);
    auto read = [&from] { return read_request(from.body, request_form::with_code); };
    co_return co_await run_on(*with.options.pool, std::move(read));
}

awaitable<http::response> execute(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto object = co_await read_body(with, from);
    if (!object) co_return refuse(object.error(), from);
    auto options = parse_execute(*object, execute_form::rest);
    if (!options) co_return refuse(options.error(), from);
    auto sent = (*found)->execute(std::move(*options));
    if (!sent) co_return refuse(sent.error(), from);
    http::response answer;
    answer.headers.emplace_back("x-cell-id", sent->cell_id);
    answer.body = answer_of(*found, sent->cell_id, from.id, with.options);
    co_return answer;
}

}  // namespace

void add_execute_route(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "POST", "/api/v1/sessions/{}/execute", http::scope::execute, execute);
}

}  // namespace gateway::api::agent
