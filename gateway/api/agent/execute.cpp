// POST …/execute: everything is checked before the headers; then they go out at once, spaces keep the client from
// timing out, and the cell comes last. A client that goes away stops waiting, not the cell.
#include "gateway/api/agent/cell_json.hpp"
#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/execute_request.hpp"
#include "gateway/base/thread_pool.hpp"

namespace gateway::api::agent {
namespace {

class execute_writer {
  public:
    execute_writer(shared_session of, std::string cell_id, std::string request_id, const agent_options& options)
        : session_(std::move(of)),
          cell_id_(std::move(cell_id)),
          request_id_(std::move(request_id)),
          options_(options) {}

    awaitable<std::optional<std::string>> next() {
        std::optional<std::string> piece;
        if (cell_) {
            piece = co_await cell_->next();
        } else if (!failed_) {
            piece = co_await wait();
        }
        co_return piece;
    }

  private:
    // A space, or the beginning of the answer.
    awaitable<std::optional<std::string>> wait() {
        std::optional<std::string> piece = " ";
        auto waiting = session_->wait_for(cell_id_);
        auto ended = co_await with_timeout(std::move(waiting), options_.keep_alive, "the cell");
        if (ended) {
            cell_ = std::make_unique<cell_writer>(session_, **ended, options_);
            piece = co_await cell_->next();
        } else if (ended.error().code != errc::timeout) {
            failed_ = true;
            auto answer = http::error_response(ended.error(), http::error_style::agent, request_id_);
            piece = std::get<std::string>(answer.body);
        }
        co_return piece;
    }

    shared_session session_;
    std::string cell_id_;
    std::string request_id_;
    agent_options options_;
    std::unique_ptr<cell_writer> cell_;
    bool failed_ = false;
};

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
    auto writer = std::make_shared<execute_writer>(*found, sent->cell_id, from.id, with.options);
    http::response answer;
    answer.headers.emplace_back("x-cell-id", sent->cell_id);
    answer.body = http::body_source([writer] { return writer->next(); });
    co_return answer;
}

}  // namespace

void add_execute_route(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "POST", "/api/v1/sessions/{}/execute", http::scope::execute, execute);
}

}  // namespace gateway::api::agent
