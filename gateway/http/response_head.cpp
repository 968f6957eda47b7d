#include "gateway/http/response_head.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "gateway/http/router.hpp"
#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

bool is_clean(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

void add(std::string& head, std::string_view name, std::string_view value) {
    if (!is_clean(name) || !is_clean(value)) return;
    head.append(name).append(": ").append(value).append("\r\n");
}

bool has(const header_list& list, std::string_view name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& each) { return equals_ignoring_case(each.first, name); });
}

std::string date_now() {
    return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::chrono::system_clock::now()));
}

}  // namespace

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

std::string write_head(const response& from, const framing& how, const std::string& request_id,
                       const header_list& more) {
    std::string head = fmt::format("HTTP/1.1 {} {}\r\n", from.status, reason_phrase(from.status));
    add(head, "Date", date_now());
    if (!from.content_type.empty() && has_body(from.status)) add(head, "Content-Type", from.content_type);
    if (how.content_length && has_body(from.status)) add(head, "Content-Length", std::to_string(*how.content_length));
    if (how.chunked) add(head, "Transfer-Encoding", "chunked");
    if (!how.keep_alive) add(head, "Connection", "close");
    if (how.keep_alive && how.is_http_1_0) add(head, "Connection", "keep-alive");
    add(head, "X-Content-Type-Options", "nosniff");
    add(head, "X-Request-Id", request_id);
    for (const auto& [name, value] : from.headers) add(head, name, value);
    for (const auto& [name, value] : more)
        if (!has(from.headers, name)) add(head, name, value);
    return head + "\r\n";
}

}  // namespace gateway::http
