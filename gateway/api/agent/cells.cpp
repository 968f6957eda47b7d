// The cells of a session, running ones too: whoever lost a connection comes back here.
#include <fmt/format.h>

#include "gateway/api/agent/cell_json.hpp"
#include "gateway/api/agent/context.hpp"

namespace gateway::api::agent {
namespace {

using shared_cell = std::shared_ptr<const sessions::cell>;

http::response stream_response(http::body_source source) {
    http::response made;
    made.body = std::move(source);
    return made;
}

http::response cell_response(const shared_session& session, const sessions::cell& which, const agent_options& options) {
    auto writer = std::make_shared<cell_writer>(session, which, options);
    return stream_response([writer] { return writer->next(); });
}

// {"items":[…],"next_after":…}, one cell at a time.
class page_writer {
  public:
    page_writer(shared_session of, std::vector<shared_cell> cells, bool more, const agent_options& options)
        : session_(std::move(of)), cells_(std::move(cells)), more_(more), options_(options) {}

    awaitable<std::optional<std::string>> next() {
        std::optional<std::string> piece;
        if (std::exchange(begun_, true) == false) {
            piece = "{\"items\":[";
            co_return piece;
        }
        while (at_ < cells_.size()) {
            if (!current_) current_ = std::make_unique<cell_writer>(session_, *cells_[at_], options_);
            piece = co_await current_->next();
            if (piece) co_return piece;
            current_.reset();
            if (++at_ == cells_.size()) break;
            piece = ",";
            co_return piece;
        }
        if (std::exchange(ended_, true) == false)
            piece = more_ ? fmt::format("],\"next_after\":{}}}", cells_.back()->seq_first) : std::string("]}");
        co_return piece;
    }

  private:
    shared_session session_;
    std::vector<shared_cell> cells_;
    bool more_;
    agent_options options_;
    std::unique_ptr<cell_writer> current_;
    std::size_t at_ = 0;
    bool begun_ = false;
    bool ended_ = false;
};

awaitable<http::response> list_cells(context& with, http::request& from) {
    auto good = check_query(from, {"user_id", "after", "limit"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto page = query_page(from);
    if (!page) co_return refuse(page.error(), from);
    auto cells = (*found)->cells(page->after, page->limit + 1);
    bool more = cells.size() > page->limit;
    if (more) cells.pop_back();
    auto writer = std::make_shared<page_writer>(*found, std::move(cells), more, with.options);
    co_return stream_response([writer] { return writer->next(); });
}

awaitable<http::response> get_cell(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    const auto& id = from.parameters.at(1);
    auto which = (*found)->find_cell(id);
    if (!which)
        co_return refuse({errc::cell_not_found, fmt::format("there is no cell {} in session {}", id, (*found)->id())},
                         from);
    co_return cell_response(*found, *which, with.options);
}

}  // namespace

void add_cell_routes(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "GET", "/api/v1/sessions/{}/cells", http::scope::execute, list_cells);
    add_route(routes, with, "GET", "/api/v1/sessions/{}/cells/{}", http::scope::execute, get_cell);
}

}  // namespace gateway::api::agent
