#include "gateway/api/helpers/file_link_route.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/files/store_calls.hpp"
#include "gateway/http/router.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::api::helpers {
namespace {

using nlohmann::json;

struct link_request {
    mounts::file_path path;
    std::chrono::seconds life;
};

failure refuse(std::string message) { return {errc::invalid_request, std::move(message)}; }

result<link_request> parse_link_request(const std::string& body, const files::links& links) {
    auto parsed = tools::parse_json(body);
    if (!parsed || !parsed->is_object()) return refuse("the body must be a JSON object with path and expires_in_s");
    std::string written;
    auto life = links.default_life();
    const auto longest = links.longest_life();
    for (const auto& [key, value] : parsed->items()) {
        if (key == "path") {
            if (!value.is_string()) return refuse("path must be a text");
            written = value.get<std::string>();
        } else if (key == "expires_in_s") {
            if (!value.is_number_unsigned() || value == 0 ||
                value.get<std::uint64_t>() > static_cast<std::uint64_t>(longest.count()))
                return refuse(
                    fmt::format("expires_in_s must be from 1 to {}, which is storage.link_max_s", longest.count()));
            life = std::chrono::seconds(value.get<std::int64_t>());
        } else {
            return failure{errc::unknown_field,
                           "unknown field \"" + key.substr(0, 100) + "\": this call has path and expires_in_s"};
        }
    }
    auto path = files::parse_path(written);
    if (!path) return path.error();
    return link_request{std::move(*path), life};
}

awaitable<http::response> make(helper_call call, sessions::registry& all, const files::links& links,
                               asio::thread_pool& pool) {
    if (auto good = check_parameters(call); !good) co_return helpers::refuse(call, good.error());
    auto asked = parse_link_request(call.from.body, links);
    if (!asked) co_return helpers::refuse(call, asked.error());
    auto session = all.find(call.session);
    if (!session) co_return helpers::refuse(call, {errc::session_not_found, "the session has ended"});
    auto found = co_await files::stat(session->files(), pool, asked->path);
    if (!found) co_return helpers::refuse(call, found.error());
    const auto made =
        links.make(links.base_for_helpers(), files::link_use::download, call.session, asked->path, asked->life);
    json answer = {
        {"url", made.url}, {"path", found->path}, {"size", found->size}, {"expires_at", iso8601(made.expires)}};
    co_return http::json_response(tools::to_text(answer));
}

}  // namespace

void add_file_link_route(endpoint& to, sessions::registry& all, const files::links& links, asio::thread_pool& pool) {
    to.add("POST", "/v1/files/link",
           [&all, &links, &pool](helper_call call) { return make(std::move(call), all, links, pool); });
}

}  // namespace gateway::api::helpers
