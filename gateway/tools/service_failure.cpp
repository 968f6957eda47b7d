#include "gateway/tools/service_failure.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "gateway/tools/http_status.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::tools {
namespace {

using std::chrono::seconds;

constexpr long longest_wait = 1'000'000'000;  // what is more is not meant

std::optional<long> number(std::string_view text) {
    long found = 0;
    auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (ec != std::errc() || end != text.data() + text.size() || found < 0) return std::nullopt;
    return std::min(found, longest_wait);
}

std::optional<std::time_t> date(const std::string& text) {
    std::tm parts{};
    const char* end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    return ::timegm(&parts);
}

// {"error": {"message": …}}, {"error": …}, {"message": …}, {"detail": …}: the forms that providers use.
std::string message_of(const nlohmann::json& body) {
    if (!body.is_object()) return "";
    for (const char* name : {"error", "message", "detail"}) {
        auto found = body.find(name);
        if (found == body.end() || found->is_null()) continue;
        if (found->is_string()) return found->get<std::string>();
        auto inner = message_of(*found);
        return inner.empty() ? to_text(*found) : inner;
    }
    return "";
}

std::string without(std::string text, const std::string& secret) {
    for (auto at = text.find(secret); !secret.empty() && at != text.npos; at = text.find(secret, at))
        text.replace(at, secret.size(), "(hidden)");
    return text;
}

}  // namespace

std::string said_by(const service_name& who, std::string_view body) {
    auto parsed = parse_json(body);
    auto message = parsed ? message_of(*parsed) : "";
    return excerpt(without(message.empty() ? std::string(body) : message, who.secret));
}

failure service_refusal(const service_name& who, int status, const outbound::headers& fields, std::string_view body) {
    auto said = who.what + " answered HTTP " + std::to_string(status);
    auto section = "[" + who.section + "]";
    if (status == 401 || status == 403)
        return {errc::tool_failed, said + ": check api_key and what it may do, in " + section};
    if (status >= 300 && status < 400)
        return {errc::tool_failed, said + ", a redirect, which is not followed: check the address in " + section};
    if (auto why = said_by(who, body); !why.empty()) said += ": " + why;
    if (status == 429) return {errc::rate_limited, said, retry_after(fields, std::chrono::system_clock::now())};
    if (status == 404 || status == 405) said += "; check the address and the names in " + section;
    return {errc::tool_failed, said};
}

failure service_failure(const service_name& who, const failure& why) {
    return {why.code, who.what + ": " + without(why.message, who.secret), why.retry_after};
}

seconds retry_after(const outbound::headers& fields, std::chrono::system_clock::time_point now) {
    if (auto given = number(outbound::find_header(fields, "retry-after-ms"))) return seconds((*given + 999) / 1000);
    std::string text(outbound::find_header(fields, "retry-after"));
    if (auto given = number(text)) return seconds(*given);
    auto when = date(text);
    if (!when) return seconds(0);
    auto left = *when - std::chrono::system_clock::to_time_t(now);
    return seconds(left > 0 ? left : 0);
}

}  // namespace gateway::tools
