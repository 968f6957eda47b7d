#include "gateway/tools/http_status.hpp"

#include <algorithm>

namespace gateway::tools {
namespace {

bool mentions_session(std::string_view body) {
    return body.find("session") != std::string_view::npos || body.find("Session") != std::string_view::npos;
}

}  // namespace

std::string excerpt(std::string_view body) {
    constexpr std::size_t longest = 200;
    std::string made(body.substr(0, longest));
    auto control = [](char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; };
    std::replace_if(made.begin(), made.end(), control, ' ');
    return made;
}

// The specification asks for 404. Many servers, those of the official SDK's examples too, answer 400 and say so.
bool is_session_gone(int status, std::string_view body) {
    return status == 404 || (status == 400 && mentions_session(body));
}

failure refusal(int status, const std::string& toolkit, std::string_view body) {
    auto section = "[tools.toolkits." + toolkit + "]";
    auto said = "its MCP server answered HTTP " + std::to_string(status);
    if (status == 401 || status == 403) return {errc::tool_failed, said + ": check the headers in " + section};
    if (status == 404 || status == 405) return {errc::tool_failed, said + ": check the url in " + section};
    if (status >= 300 && status < 400)
        return {errc::tool_failed, said + ", a redirect, which is not followed: check the url in " + section};
    return {errc::tool_failed, said + (body.empty() ? "" : ": " + excerpt(body))};
}

}  // namespace gateway::tools
