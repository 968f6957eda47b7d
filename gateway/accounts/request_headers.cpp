#include "gateway/accounts/request_headers.hpp"

#include <algorithm>

namespace gateway::accounts {
namespace {

constexpr std::string_view reserved[] = {
    "host",
    "authorization",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "via",
    "accept-encoding",
    "range",
    "if-range",
    "http2-settings",
};

}  // namespace

std::string plain_header_name(std::string_view name) {
    std::string made(name);
    auto plain = [](char letter) {
        if (letter == '_') return '-';
        return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    };
    std::transform(made.begin(), made.end(), made.begin(), plain);
    return made;
}

bool is_reserved_header(std::string_view name) {
    auto plain = plain_header_name(name);
    return plain.starts_with("proxy-") ||
           std::find(std::begin(reserved), std::end(reserved), plain) != std::end(reserved);
}

}  // namespace gateway::accounts
