#include "gateway/http/authenticator.hpp"

#include "gateway/http/target.hpp"
#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

std::optional<std::string> not_empty(std::string_view text) {
    auto key = trim(text);
    if (key.empty()) return std::nullopt;
    return std::string(key);
}

// "token KEY", "Bearer KEY". jupyter_server's gateway client always sends "token ", also when it has no key.
std::optional<std::string> find_authorization(const request& from) {
    auto value = from.header("authorization");
    auto text = trim(value);
    auto space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    auto scheme = text.substr(0, space);
    if (!equals_ignoring_case(scheme, "token") && !equals_ignoring_case(scheme, "bearer")) return std::nullopt;
    return not_empty(text.substr(space));
}

std::optional<std::string> find_subprotocol_key(const request& from) {
    auto [begin, end] = from.headers.equal_range("sec-websocket-protocol");
    for (auto at = begin; at != end; ++at)
        for (auto offered : split_list(at->second)) {
            if (!offered.starts_with(token_subprotocol)) continue;
            auto rest = offered.substr(token_subprotocol.size());
            if (!rest.starts_with('.')) continue;
            auto key = percent_decode(rest.substr(1));
            if (key) return not_empty(*key);
        }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> find_header_key(const request& from) {
    if (auto key = find_authorization(from)) return key;
    if (auto key = not_empty(from.header("x-api-key"))) return key;
    return not_empty(from.header("x-session-access-key"));
}

std::optional<std::string> find_key(const request& from) {
    if (auto key = find_header_key(from)) return key;
    if (auto token = from.find_query("token"))
        if (auto key = not_empty(*token)) return key;
    return find_subprotocol_key(from);
}

}  // namespace gateway::http
