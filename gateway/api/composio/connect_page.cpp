#include "gateway/api/composio/connect_page.hpp"

#include <fmt/format.h>

#include "gateway/base/ids.hpp"

namespace gateway::api::composio {
namespace {

using accounts::account;
using accounts::auth_scheme;

constexpr const char* frame = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{0}</title>
<h1>{0}</h1>
{1}</html>
)";

// The address has the link's token in it. With no-referrer the form's own Origin would be "null"; another site is told
// nothing by same-origin either. After a form browsers follow redirects only to where form-action lets it go.
http::response page(std::string_view title, const std::string& content, int status, const std::string& goes_to = "") {
    http::response made;
    made.status = status;
    made.content_type = "text/html; charset=utf-8";
    const auto action = goes_to.empty() ? "" : " " + goes_to;
    made.headers = {{"Content-Security-Policy",
                     "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'" + action},
                    {"Cache-Control", "no-store"},
                    {"Referrer-Policy", "same-origin"},
                    {"X-Frame-Options", "DENY"}};
    made.body = fmt::format(frame, escape_html(title), content);
    return made;
}

std::string hosts_of(const account& what) {
    std::string made;
    for (const auto& each : accounts::origins(what)) made += "<li>" + escape_html(each) + "</li>\n";
    return made;
}

const char* secret_name(auth_scheme of) {
    switch (of) {
        case auth_scheme::basic:
            return "Password";
        case auth_scheme::bearer:
            return "Access token";
        case auth_scheme::api_key:
            break;
    }
    return "API key";
}

std::string fields_of(const account& what, const connect_problem& about) {
    std::string made;
    if (what.scheme == auth_scheme::basic)
        made = "<p><label>User name <input name=\"username\" required autocomplete=\"off\" value=\"" +
               escape_html(about.username) + "\"></label></p>\n";
    return made + "<p><label>" + secret_name(what.scheme) +
           " <input type=\"password\" name=\"secret\" required autocomplete=\"off\"></label></p>\n";
}

}  // namespace

std::string escape_html(std::string_view text) {
    std::string made;
    for (char letter : text) switch (letter) {
            case '&':
                made += "&amp;";
                break;
            case '<':
                made += "&lt;";
                break;
            case '>':
                made += "&gt;";
                break;
            case '"':
                made += "&quot;";
                break;
            case '\'':
                made += "&#39;";
                break;
            default:
                made += letter;
        }
    return made;
}

http::response connect_form(const accounts::pending_link& of, const connect_problem& about, int status) {
    const auto& what = of.what;
    auto content = fmt::format("<p>For the user <b>{}</b>{}.</p>\n", escape_html(what.user_id),
                               what.alias.empty() ? "" : ", as the account <b>" + escape_html(what.alias) + "</b>");
    content += "<p>What you enter is kept sealed by this gateway. It is sent to these hosts alone:</p>\n<ul>\n" +
               hosts_of(what) + "</ul>\n";
    if (!about.message.empty()) content += "<p role=\"alert\"><b>" + escape_html(about.message) + "</b></p>\n";
    content += "<form method=\"post\">\n" + fields_of(what, about) + "<p><button>Connect</button></p>\n</form>\n";
    content += "<p>This page is good once, until " + iso8601(of.expires) + ".</p>\n";
    if (!of.callback_url.empty())
        content += "<p>Afterwards you go on to " + escape_html(accounts::callback_origin(of.callback_url)) + ".</p>\n";
    return page("Connect " + what.toolkit, content, status, accounts::callback_origin(of.callback_url));
}

http::response connect_notice(std::string_view title, std::string_view message, int status) {
    return page(title, "<p>" + escape_html(message) + "</p>\n", status);
}

http::response connected(const accounts::pending_link& of) {
    auto made =
        connect_notice("Connected", "The account for " + of.what.toolkit + " is connected. Close this page.", 200);
    if (of.callback_url.empty()) return made;
    const auto fragment = std::min(of.callback_url.size(), of.callback_url.find('#'));
    const auto before = of.callback_url.substr(0, fragment);
    const auto joint = before.find('?') == before.npos                  ? "?"
                       : before.ends_with('?') || before.ends_with('&') ? ""
                                                                        : "&";
    made.status = 303;
    made.headers.emplace_back("Location", before + joint + "status=success&connected_account_id=" + of.what.id +
                                              of.callback_url.substr(fragment));
    return made;
}

}  // namespace gateway::api::composio
