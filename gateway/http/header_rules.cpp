#include "gateway/http/header_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

// A reader that takes the first and one that takes the last would not agree about these.
constexpr const char* single_headers[] = {"Host",   "Content-Length", "Transfer-Encoding", "Authorization",
                                          "Origin", "Sec-Fetch-Site", "Sec-WebSocket-Key", "Sec-WebSocket-Version"};

failure bad(std::string message) { return failure{errc::invalid_request, std::move(message)}; }

bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

result<void> check_headers(const header_map& headers, bool is_http_1_0) {
    for (const auto* name : single_headers)
        if (headers.count(name) > 1) return bad(fmt::format("a request must have one {} header", name));
    auto length = headers.find("content-length"), coding = headers.find("transfer-encoding");
    if (length != headers.end() && !is_number(length->second)) return bad("Content-Length must be one decimal number");
    if (coding != headers.end()) {
        if (!equals_ignoring_case(trim(coding->second), "chunked"))
            return bad("the only transfer coding that is understood is chunked");
        if (length != headers.end()) return bad("a request has Content-Length or Transfer-Encoding, not both");
        if (is_http_1_0) return bad("HTTP/1.0 has no Transfer-Encoding");
    }
    if (!is_http_1_0 && headers.count("host") == 0) return bad("a request must have one Host header");
    return {};
}

}  // namespace gateway::http
