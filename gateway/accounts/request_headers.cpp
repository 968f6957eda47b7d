#include "gateway/accounts/request_headers.hpp"

#include <algorithm>
#include <string>

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
    "http2-settings",
};

}  // namespace

bool is_reserved_header(std::string_view name) {
    std::string low(name);
    auto lowered = [](char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; };
    std::transform(low.begin(), low.end(), low.begin(), lowered);
    return low.starts_with("proxy-") || std::find(std::begin(reserved), std::end(reserved), low) != std::end(reserved);
}

}  // namespace gateway::accounts
