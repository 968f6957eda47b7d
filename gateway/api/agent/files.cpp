// The files of a session: what is below /mnt/files in its box.
#include <nlohmann/json.hpp>

#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/files/download.hpp"
#include "gateway/files/file_json.hpp"
#include "gateway/files/store_calls.hpp"
#include "gateway/files/upload.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

std::string page_json(const mounts::file_page& page) {
    json answer = {{"items", json::array()}};
    for (const auto& each : page.items) answer["items"].push_back(files::file_object(each));
    if (page.next) answer["next_cursor"] = *page.next;
    return dump(answer);
}

awaitable<http::response> list_files(context& with, http::request& from) {
    auto good = check_query(from, {"user_id", "prefix", "cursor", "limit"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    auto limit = query_limit(from);
    if (!limit) co_return refuse(limit.error(), from);
    auto prefix = from.find_query("prefix").value_or(""), cursor = from.find_query("cursor").value_or("");
    auto& pool = *with.options.pool;
    auto page = co_await files::list((*found)->files(), pool, std::move(prefix), std::move(cursor), *limit);
    if (!page) co_return refuse(page.error(), from);
    auto write = [page = std::move(*page)] { return page_json(page); };
    auto text = co_await run_on(pool, std::move(write));
    co_return http::json_response(std::move(text));
}

struct place {
    shared_session session;
    mounts::file_path path;
};

// The session and the path that the URL names.
result<place> find_place(context& with, const http::request& from) {
    if (auto good = check_query(from, {"user_id"}); !good) return good.error();
    auto found = find_session(with, from);
    if (!found) return found.error();
    auto path = find_path(from);
    if (!path) return path.error();
    return place{*found, std::move(*path)};
}

awaitable<http::response> get_file(context& with, http::request& from) {
    auto asked = find_place(with, from);
    if (!asked) co_return refuse(asked.error(), from);
    co_return co_await files::download(asked->session->files(), *with.options.pool, asked->path, from);
}

awaitable<http::response> put_file(context& with, http::request& from) {
    auto asked = find_place(with, from);
    if (!asked) co_return refuse(asked.error(), from);
    co_return co_await files::upload(asked->session->files(), *with.options.pool, asked->path, from);
}

awaitable<http::response> delete_file(context& with, http::request& from) {
    auto asked = find_place(with, from);
    if (!asked) co_return refuse(asked.error(), from);
    auto condition = files::read_condition(from);
    if (!condition) co_return refuse(condition.error(), from);
    const auto path = asked->path;
    auto removed = co_await files::remove(asked->session->files(), *with.options.pool, path, *condition);
    if (!removed) co_return refuse(removed.error(), from);
    failure missing{errc::file_not_found, "there is no file or directory " + path.text()};
    if (!*removed) co_return refuse(missing, from);
    json answer = {{"path", path.text()}, {"deleted", true}};
    co_return http::json_response(dump(answer));
}

void add(http::router& routes, const std::shared_ptr<context>& with, const char* method, endpoint what) {
    add_route(routes, with, method, "/api/v1/sessions/{}/files/{*}", http::scope::execute, what,
              {.any_name = true, .streams_body = method == std::string_view("PUT"), .takes_session_key = true});
}

}  // namespace

void add_file_routes(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "GET", "/api/v1/sessions/{}/files", http::scope::execute, list_files,
              {.takes_session_key = true});
    add(routes, with, "GET", get_file);
    add(routes, with, "PUT", put_file);
    add(routes, with, "DELETE", delete_file);
}

}  // namespace gateway::api::agent
