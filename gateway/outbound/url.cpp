#include "gateway/outbound/url.hpp"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <charconv>

#include "gateway/outbound/host_name.hpp"

namespace gateway::outbound {
namespace {

constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

failure refuse(const char* why) { return {errc::invalid_request, std::string("the URL ") + why}; }

std::uint16_t default_port(bool tls) { return tls ? https_port : http_port; }

bool read_port(const std::string& text, std::uint16_t& into) {
    auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), into);
    return ec == std::errc() && end == text.data() + text.size() && into != 0;
}

bool is_name_char(char letter) {
    return ('a' <= letter && letter <= 'z') || ('0' <= letter && letter <= '9') || letter == '-' || letter == '_' ||
           letter == '.';
}

result<void> check_name(const std::string& name) {
    if (!std::all_of(name.begin(), name.end(), is_name_char))
        return refuse("has a host with other characters than letters, digits, - and dots: write other names as xn--…");
    if (ends_in_number(name))
        return refuse("has a host that ends in a number: write an address as four decimal numbers");
    return {};
}

std::string bracketed(const std::string& host) { return host.find(':') == std::string::npos ? host : "[" + host + "]"; }

}  // namespace

std::string url::host_header() const {
    auto text = bracketed(host);
    return port == default_port(tls) ? text : text + ":" + std::to_string(port);
}

std::string url::origin() const { return (tls ? "https://" : "http://") + host_header(); }

result<url> parse_url(std::string_view text) {
    auto parsed = boost::urls::parse_uri(text);
    if (!parsed) return refuse("is malformed: write http://HOST:PORT/PATH or https://HOST/PATH");
    auto scheme = parsed->scheme_id();
    if (scheme != boost::urls::scheme::http && scheme != boost::urls::scheme::https)
        return refuse("must begin with http:// or https://");
    if (parsed->has_userinfo()) return refuse("must not hold a user or a password: give an authorization header");
    url made;
    made.tls = scheme == boost::urls::scheme::https;
    made.host = normalized_host(parsed->host_address());
    if (made.host.empty()) return refuse("names no host");
    auto host_type = parsed->host_type();
    if (host_type == boost::urls::host_type::ipvfuture)
        return refuse("has an address of a kind that does not exist yet");
    if (host_type == boost::urls::host_type::name)
        if (auto good = check_name(made.host); !good) return good.error();
    made.port = default_port(made.tls);
    std::string port(parsed->port());
    if (!port.empty() && !read_port(port, made.port)) return refuse("has a port that is not a number from 1 to 65535");
    // Boost 1.81 takes 127.0.0.1.example.com for the address, and what follows it for a path without a slash.
    auto path = parsed->encoded_path();
    if (!path.empty() && path.front() != '/') return refuse("has a host that begins like an address and goes on");
    made.target = std::string(parsed->encoded_target());
    if (made.target.empty() || made.target.front() != '/') made.target.insert(0, "/");
    return made;
}

std::string without_slash(std::string base) {
    while (!base.empty() && base.back() == '/') base.pop_back();
    return base;
}

}  // namespace gateway::outbound
