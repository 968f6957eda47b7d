#include "gateway/egress/forwarding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::egress {
namespace {

constexpr std::uint16_t http_port = 80;
constexpr std::string_view scheme = "http://";

failure refuse(std::string why) { return {errc::invalid_request, std::move(why)}; }

bool begins_with_scheme(std::string_view target) {
    auto same = [](char sent, char ours) { return (sent | 0x20) == ours || sent == ours; };
    return target.size() >= scheme.size() && std::equal(scheme.begin(), scheme.end(), target.begin(),
                                                        [&](char ours, char sent) { return same(sent, ours); });
}

// Whether Host, which HTTP/1.1 asks for, says where the request goes.
result<bool> names_destination(const request_head& asked, const destination& to, std::uint16_t default_port) {
    auto host = single_field(asked.fields, "host");
    if (!host) return host.error();
    if (!*host) {
        if (asked.minor_version == 0 || asked.method == "CONNECT") return true;
        return refuse("HTTP/1.1 needs a Host header");
    }
    auto named = parse_destination(**host, default_port);
    return named && *named == to;
}

result<forwarding> plan_connect(const request_head& asked) {
    auto to = parse_destination(asked.target, 0);
    if (!to) return to.error();
    auto body = body_of(asked);
    if (!body) return body.error();
    if (*body != body_length()) return refuse("CONNECT has no body");
    auto fits = names_destination(asked, *to, to->port);
    if (!fits) return fits.error();
    forwarding made;
    made.to = std::move(*to);
    made.is_connect = true;
    if (!*fits) made.refused = denial::host_header_mismatch;
    return made;
}

std::string host_of(const destination& to) {
    auto text = to.text();
    return to.port == http_port ? text.substr(0, text.rfind(':')) : text;
}

std::string head_for(const request_head& asked, const forwarding& of, std::string_view path) {
    auto head = fmt::format("{} {}{} HTTP/1.{}\r\nHost: {}\r\n", asked.method, path.starts_with('/') ? "" : "/", path,
                            asked.minor_version, host_of(of.to));
    for (const auto& [name, value] : end_to_end_fields(asked.fields)) head += fmt::format("{}: {}\r\n", name, value);
    if (of.body.how == body_length::kind::chunked) head += "Transfer-Encoding: chunked\r\n";
    // Also of nothing: a POST says so.
    auto length = outbound::find_header(asked.fields, "content-length");
    if (!length.empty()) head += fmt::format("Content-Length: {}\r\n", of.body.bytes);
    return head + "Connection: close\r\n\r\n";
}

}  // namespace

result<forwarding> plan(const request_head& asked) {
    if (asked.method == "CONNECT") return plan_connect(asked);
    if (!begins_with_scheme(asked.target))
        return refuse("this is a proxy: ask for http://HOST/PATH, or for CONNECT HOST:PORT and TLS within");
    auto rest = std::string_view(asked.target).substr(scheme.size());
    auto end = std::min(rest.find_first_of("/?#"), rest.size());
    if (rest.find('#') != std::string_view::npos) return refuse("the URI has a fragment, which is not sent");
    auto to = parse_destination(rest.substr(0, end), http_port);
    if (!to) return to.error();
    auto body = body_of(asked);
    if (!body) return body.error();
    auto fits = names_destination(asked, *to, http_port);
    if (!fits) return fits.error();
    forwarding made;
    made.to = std::move(*to);
    if (!*fits) made.refused = denial::host_header_mismatch;
    made.method = asked.method;
    made.minor_version = asked.minor_version;
    made.body = *body;
    made.head = head_for(asked, made, rest.substr(end));
    return made;
}

std::string answer_for(const forwarding& asked, const answer_head& came, const body_length& body) {
    auto head = fmt::format("HTTP/1.1 {} {}\r\n", came.status, came.reason);
    for (const auto& [name, value] : end_to_end_fields(came.fields)) head += fmt::format("{}: {}\r\n", name, value);
    if (body.how == body_length::kind::chunked && asked.minor_version > 0) head += "Transfer-Encoding: chunked\r\n";
    // Also where there is no body: an answer to HEAD says how long it would be.
    auto length = outbound::find_header(came.fields, "content-length");
    if (!length.empty()) head += fmt::format("Content-Length: {}\r\n", length);
    return head + (came.status < 200 ? "\r\n" : "Connection: close\r\n\r\n");
}

}  // namespace gateway::egress
