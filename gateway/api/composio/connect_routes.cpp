// /connect/{account}?link_token=…: the page behind a link. It needs no key: who has the link is meant.
#include "gateway/api/composio/connect_page.hpp"
#include "gateway/api/composio/context.hpp"
#include "gateway/base/log.hpp"
#include "gateway/http/origin.hpp"
#include "gateway/http/target.hpp"
#include "gateway/http/text.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t most_form_bytes = 64u << 10;  // of the longest secret, each byte as %XX, and a user name

using page_endpoint = http::response (*)(context&, const http::request&, const accounts::pending_link&);

// Of a link that was used, has expired or never was, and of a wrong token.
http::response no_link() {
    return connect_notice("No such link",
                          "This link was used, has expired or never was: ask for a new one where you got it.", 404);
}

awaitable<http::response> follow(context& with, http::request& from, page_endpoint then) {
    const auto token = from.find_query("link_token").value_or("");
    const auto* found = with.account_links->follow(from.parameters.at(0), token);
    if (!found) co_return no_link();
    const auto link = *found;
    co_return then(with, from, link);
}

http::response show_form(context&, const http::request&, const accounts::pending_link& link) {
    return connect_form(link, {}, 200);
}

// "https://gate.example/cell/" is of the origin https://gate.example.
bool is_origin_of(const std::string& url, const http::origin& page) {
    const auto begin = url.find("://");
    const auto own = http::parse_origin(url.substr(0, begin == url.npos ? begin : url.find('/', begin + 3)));
    return own && own->scheme == page.scheme && http::is_same_origin(page, own->where);
}

// A form on another site's page must not be sent here. Programs send neither header.
bool is_own_page(const http::request& from, const accounts::pending_link& link) {
    const auto site = from.header("sec-fetch-site");
    if (!site.empty() && site != "same-origin" && site != "none") return false;
    const auto text = from.header("origin");
    if (text.empty()) return true;
    const auto page = http::parse_origin(text);
    const auto host = http::parse_host(from.header("host"));
    return page && ((host && http::is_same_origin(*page, *host)) || is_origin_of(link.url, *page));
}

struct form {
    std::string username;
    std::string secret;
};

// Nothing of what cannot be read is told: a secret may stand there.
result<form> read_form(const http::request& from, bool has_username) {
    const auto type = from.header("content-type");
    const auto kind = http::trim(std::string_view(type).substr(0, type.find(';')));
    if (!http::equals_ignoring_case(kind, "application/x-www-form-urlencoded"))
        return failure{errc::invalid_request, "The form must be sent as application/x-www-form-urlencoded."};
    auto fields = http::parse_query(from.body);
    if (!fields) return failure{errc::invalid_request, "What was sent is no form in UTF-8."};
    const auto once = [&](const char* name) {
        return fields->count(name) == 1 ? fields->find(name)->second : std::string();
    };
    form made{has_username ? once("username") : "", once("secret")};
    if (made.secret.empty()) return failure{errc::invalid_request, "Enter what the service gave you."};
    return made;
}

http::response show_again(const accounts::pending_link& link, const failure& why, const std::string& username) {
    const auto status = http_status(why.code);
    if (status < 500) return connect_form(link, {why.message, username}, status);
    log::error("account {} cannot be connected: {}", link.what.id, why.message);
    return connect_form(link, {"The gateway could not keep it; its log says why. Try again later.", username}, status);
}

http::response take_form(context& with, const http::request& from, const accounts::pending_link& link) {
    if (!is_own_page(from, link))
        return connect_notice("Refused", "This form was sent by a page of another site: open the link itself.", 403);
    auto given = read_form(from, link.what.scheme == accounts::auth_scheme::basic);
    if (!given) return show_again(link, given.error(), "");
    auto made = with.account_links->finish(link.what.id, given->username, given->secret);
    if (!made) return show_again(link, made.error(), given->username);
    log::info("account {} was connected by a link for user {}", made->id, made->user_id);
    return connected(link);
}

void add(http::router& routes, const std::shared_ptr<context>& with, const char* method, page_endpoint what) {
    http::route added;
    added.method = method;
    added.pattern = "/connect/{}";
    added.needed = http::scope::none;
    added.errors = http::error_style::agent;
    added.max_body_bytes = most_form_bytes;
    added.handle = [with, what](http::request& from) { return follow(*with, from, what); };
    routes.add(std::move(added));
}

}  // namespace

void add_connect_routes(http::router& routes, const std::shared_ptr<context>& with) {
    if (!with->account_links) return;
    add(routes, with, "GET", show_form);
    add(routes, with, "POST", take_form);
}

}  // namespace gateway::api::composio
