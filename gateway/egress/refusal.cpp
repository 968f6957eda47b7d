#include "gateway/egress/refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gateway/base/ids.hpp"

namespace gateway::egress {
namespace {

constexpr std::size_t most_reason = 200;

std::string reason_of(const std::string& message) {
    auto reason = message.substr(0, most_reason);
    std::replace_if(
        reason.begin(), reason.end(), [](char letter) { return letter < 0x20 || letter == 0x7f; }, '?');
    return reason;
}

std::string answer(int status, const char* code, const std::string& message) {
    nlohmann::json body{{"error", {{"code", code}, {"message", message}, {"request_id", make_id("req_")}}}};
    auto text = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    return fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", status,
        reason_of(message), text.size(), text);
}

}  // namespace

std::string refusal(int status, const failure& why) { return answer(status, to_string(why.code), why.message); }

std::string refusal(denial why, const destination& to) {
    return answer(403, to_string(why), fmt::format("{}: {}", to.text(), describe(why)));
}

// RFC 8446, section 6: record of type alert, level fatal, access_denied (49).
const std::string access_denied_alert("\x15\x03\x01\x00\x02\x02\x31", 7);

}  // namespace gateway::egress
