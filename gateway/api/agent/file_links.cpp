// Links to a session's files that need no key beside them: who gives them out, and what they lead to.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/fields.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/files/download.hpp"
#include "gateway/files/links.hpp"
#include "gateway/files/store_calls.hpp"
#include "gateway/files/upload.hpp"

namespace gateway::api::agent {
namespace {

using nlohmann::json;

constexpr std::size_t most_method_bytes = 16;

struct link_request {
    mounts::file_path path;
    files::link_use use;
    std::chrono::seconds life;
};

result<link_request> parse_link_request(const std::string& body, const files::links& links) {
    auto object = read_request(body, request_form::plain);
    if (!object) return object.error();
    fields from(*object);
    const auto written = from.required_text("path");
    const auto method = from.text("method", most_method_bytes).value_or("GET");
    const auto most = links.longest_life();
    const auto life =
        std::chrono::ceil<std::chrono::seconds>(from.seconds("expires_in_s").value_or(links.default_life()));
    if (method != "GET" && method != "PUT") from.refuse("method must be \"GET\" or \"PUT\"");
    if (life > most)
        from.refuse(fmt::format("expires_in_s must be at most {}, which is storage.link_max_s", most.count()));
    if (auto good = from.finish(); !good) return good.error();
    auto path = files::parse_path(written);
    if (!path) return path.error();
    const auto use = method == "PUT" ? files::link_use::upload : files::link_use::download;
    return link_request{std::move(*path), use, life};
}

awaitable<http::response> make_link(context& with, http::request& from) {
    auto good = check_query(from, {"user_id"});
    if (!good) co_return refuse(good.error(), from);
    auto found = find_session(with, from);
    if (!found) co_return refuse(found.error(), from);
    const auto& links = *with.options.links;
    auto asked = parse_link_request(from.body, links);
    if (!asked) co_return refuse(asked.error(), from);
    auto base = links.base_for(from);
    if (!base) co_return refuse(base.error(), from);
    if (asked->use == files::link_use::download) {  // one to nothing would fail where nobody can tell why
        auto there = co_await files::stat((*found)->files(), *with.options.pool, asked->path);
        if (!there) co_return refuse(there.error(), from);
    }
    const auto made = links.make(*base, asked->use, (*found)->id(), asked->path, asked->life);
    json answer = {{"url", made.url},
                   {"method", made.method},
                   {"path", asked->path.text()},
                   {"expires_at", iso8601(made.expires)}};
    co_return http::json_response(dump(answer), 201);
}

struct place {
    shared_session session;
    mounts::file_path path;
};

// What is told apart only to those who have a good link: the session, and whether it is there.
result<place> follow(context& with, const http::request& from) {
    if (auto good = check_query(from, {"expires", "signature"}); !good) return good.error();
    auto path = find_path(from);
    if (!path) return path.error();
    if (auto good = with.options.links->check(from, from.parameters.at(0), *path); !good) return good.error();
    auto session = with.registry.find(from.parameters.at(0));
    if (!session) return failure{errc::session_not_found, "the session of this link has ended, and its files with it"};
    return place{std::move(session), std::move(*path)};
}

// The address has the signature in it: it must not go on to another site.
http::response keep_address(http::response answer) {
    answer.headers.emplace_back("Referrer-Policy", "no-referrer");
    return answer;
}

awaitable<http::response> get_by_link(context& with, http::request& from) {
    auto asked = follow(with, from);
    if (!asked) co_return refuse(asked.error(), from);
    auto answer = co_await files::download(asked->session->files(), *with.options.pool, asked->path, from);
    co_return keep_address(std::move(answer));
}

awaitable<http::response> put_by_link(context& with, http::request& from) {
    auto asked = follow(with, from);
    if (!asked) co_return refuse(asked.error(), from);
    co_return co_await files::upload(asked->session->files(), *with.options.pool, asked->path, from);
}

}  // namespace

void add_link_routes(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "POST", "/api/v1/sessions/{}/links", http::scope::execute, make_link,
              {.takes_session_key = true});
    add_route(routes, with, "GET", "/files/{}/{*}", http::scope::none, get_by_link, {.any_name = true});
    add_route(routes, with, "PUT", "/files/{}/{*}", http::scope::none, put_by_link,
              {.any_name = true, .streams_body = true});
}

}  // namespace gateway::api::agent
