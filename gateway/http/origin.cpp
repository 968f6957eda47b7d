#include "gateway/http/origin.hpp"

#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

std::string_view without_default_port(std::string_view port, std::string_view scheme) {
    bool is_default = (scheme == "http" && port == "80") || (scheme == "https" && port == "443");
    return is_default ? std::string_view() : port;
}

}  // namespace

std::optional<origin> parse_origin(std::string_view header) {
    header = trim(header);
    auto end = header.find("://");
    if (end == std::string_view::npos) return std::nullopt;
    auto where = parse_host(header.substr(end + 3));
    if (!where) return std::nullopt;
    return origin{to_lower(header.substr(0, end)), std::move(*where)};
}

bool is_same_origin(const origin& from, const host_and_port& host) {
    return from.where.host == host.host &&
           without_default_port(from.where.port, from.scheme) == without_default_port(host.port, from.scheme);
}

}  // namespace gateway::http
