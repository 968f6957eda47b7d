#include <nlohmann/json.hpp>

#include "gateway/http/router.hpp"

namespace gateway::http {
namespace {

struct phrase {
    int status;
    std::string_view text;
};

constexpr phrase phrases[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {507, "Insufficient Storage"},
};

std::string dump(const nlohmann::json& what) {
    return what.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The message says what is wrong with this request; this, what to do in general.
const char* suggested_fix(int status) {
    switch (status) {
        case 401:
            return "Send a key of this gateway as x-api-key; `cellgate keys add` makes one.";
        case 403:
            return "Use a key of that user, or one with a wider scope.";
        case 404:
            return "Check the id or the slug: it may have been deleted, or never was.";
        case 409:
            return "Read the state again, then repeat the change.";
        default:
            return status < 500 ? "Correct the request as the message says."
                                : "Try again; if it stays, see the "
                                  "gateway's log under the request id.";
    }
}

}  // namespace

std::string_view reason_phrase(int status) {
    for (const auto& each : phrases)
        if (each.status == status) return each.text;
    return "Unknown";
}

response error_response(const failure& why, error_style style, const std::string& request_id, int status) {
    if (status == 0) status = http_status(why.code);
    nlohmann::json body;
    body["error"] = {
        {"code", to_string(why.code)}, {"message", why.message}, {"status", status}, {"request_id", request_id}};
    if (style == error_style::jupyter) {
        body["message"] = why.message;
        // kernel_gateway's words for it, which its clients match.
        body["reason"] = why.code == errc::limit_reached ? "Resource Limit" : reason_phrase(status);
    }
    if (style == error_style::composio) {
        body["error"]["slug"] = to_string(why.code);
        body["error"]["suggested_fix"] = suggested_fix(status);
    }
    auto answer = json_response(dump(body), status);
    if (status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
}

response json_response(std::string json, int status) {
    response made;
    made.status = status;
    made.body = std::move(json);
    return made;
}

response empty_response(int status) {
    response made;
    made.status = status;
    made.content_type.clear();
    return made;
}

}  // namespace gateway::http
