// GET …/notebook: the session as .ipynb (nbformat 4.5), streamed.
#include <nlohmann/json.hpp>

#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/api/agent/notebook_cell.hpp"
#include "gateway/api/agent/session_json.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

// Small outputs are gathered to pieces of this size.
constexpr std::size_t piece_bytes = 64u << 10;

json notebook_metadata(const sessions::session& from) {
    const auto& spec = from.spec();
    auto language = spec.language.empty() ? std::string("text") : spec.language;
    return {{"kernelspec", {{"name", spec.name}, {"display_name", spec.display_name}, {"language", language}}},
            {"language_info", {{"name", language}}},
            {"cellgate", {{"session", session_object(from)}}}};
}

class notebook_writer {
  public:
    explicit notebook_writer(shared_session of) : session_(std::move(of)) {
        cells_ = session_->cells(0, std::size_t(-1));
        std::erase_if(cells_, [](const auto& each) { return !each->store_history; });
    }

    awaitable<std::optional<std::string>> next() {
        std::optional<std::string> piece;
        std::string gathered;
        while (!done_ && gathered.size() < piece_bytes) co_await advance(gathered);
        if (!gathered.empty()) piece = std::move(gathered);
        co_return piece;
    }

  private:
    awaitable<void> advance(std::string& to) {
        if (!std::exchange(begun_, true)) {
            to += R"({"nbformat":4,"nbformat_minor":5,"metadata":)" + dump(notebook_metadata(*session_)) +
                  R"(,"cells":[)";
        } else if (current_) {
            bool more = co_await current_->write(to);
            if (!more) current_.reset();
        } else if (at_ < cells_.size()) {
            if (at_ > 0) to += ",";
            current_ = std::make_unique<notebook_cell>(session_, *cells_[at_]);
            cells_[at_++].reset();
        } else {
            to += "]}";
            done_ = true;
        }
    }

    shared_session session_;
    std::vector<std::shared_ptr<const sessions::cell>> cells_;
    std::unique_ptr<notebook_cell> current_;
    std::size_t at_ = 0;
    bool begun_ = false;
    bool done_ = false;
};

// A name that is safe in a header, for whoever saves the file.
std::string file_name(std::string name) {
    for (auto& letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter)) && letter != '-' && letter != '_') letter = '_';
    return name + ".ipynb";
}

awaitable<http::response> get_notebook(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto writer = std::make_shared<notebook_writer>(*found);
    http::response answer;
    answer.content_type = "application/x-ipynb+json";
    answer.headers.emplace_back("Content-Disposition", "inline; filename=\"" + file_name((*found)->name()) + "\"");
    answer.body = http::body_source([writer] { return writer->next(); });
    co_return answer;
}

}  // namespace

void add_notebook_route(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "GET", "/api/v1/sessions/{}/notebook", http::scope::execute, get_notebook);
}

}  // namespace gateway::api::agent
