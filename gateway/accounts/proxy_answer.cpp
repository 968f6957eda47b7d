#include "gateway/accounts/proxy_answer.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "gateway/base/base64.hpp"
#include "gateway/tools/json_text.hpp"
#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace gateway::accounts {
namespace {

// A session that the account's secret opened is as good as the secret.
constexpr std::string_view left_out[] = {"connection", "keep-alive", "transfer-encoding", "trailer",
                                         "upgrade",    "set-cookie", "set-cookie2"};

std::string lower(std::string_view text) {
    std::string made(text);
    auto lowered = [](char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; };
    std::transform(made.begin(), made.end(), made.begin(), lowered);
    return made;
}

bool is_left_out(std::string_view name) {
    return std::find(std::begin(left_out), std::end(left_out), name) != std::end(left_out);
}

// What the header says of text is believed when the bytes are text.
answer_form form_of(std::string_view body, const std::string& content_type, bool is_packed) {
    if (body.empty()) return answer_form::empty;
    if (is_packed || !messaging::is_utf8(body)) return answer_form::binary;
    auto type = lower(content_type.substr(0, content_type.find(';')));
    while (type.ends_with(' ')) type.pop_back();
    bool says_json = type == "application/json" || type.ends_with("+json") || type == "text/json";
    if (says_json && !tools::is_too_deep(body) && messaging::is_json(body)) return answer_form::json;
    bool says_text = type.empty() || type.starts_with("text/") || says_json || type.ends_with("+xml") ||
                     type == "application/xml" || type == "application/javascript" || type == "application/yaml" ||
                     type == "application/x-ndjson" || type == "application/x-www-form-urlencoded";
    return says_text && body.find('\0') == std::string_view::npos ? answer_form::text : answer_form::binary;
}

// One text a name: repeated fields are joined, as RFC 9110 (section 5.3) has it.
std::string headers_object(const outbound::headers& fields) {
    std::map<std::string, std::string> joined;
    for (const auto& [name, value] : fields) {
        auto [at, is_new] = joined.emplace(lower(name), value);
        if (!is_new) at->second += ", " + value;
    }
    std::string made;
    for (const auto& [name, value] : joined)
        made += (made.empty() ? "" : ",") + messaging::quote(name) + ":" + messaging::quote(value);
    return "{" + made + "}";
}

std::string inline_binary(const proxy_answer& from) {
    return R"({"base64":")" + to_base64(from.body) + R"(","content_type":)" + messaging::quote(from.content_type) +
           R"(,"size":)" + std::to_string(from.body.size()) + "}";
}

}  // namespace

proxy_answer make_answer(int status, const outbound::headers& fields, std::string body, const credential& with) {
    proxy_answer made;
    made.status = status;
    for (const auto& [name, value] : fields) {
        if (is_left_out(lower(name))) continue;
        auto [shown_name, shown] = std::pair(name, value);
        with.hide_in(shown_name);
        with.hide_in(shown);
        made.fields.emplace_back(std::move(shown_name), std::move(shown));
    }
    made.content_type = std::string(outbound::find_header(made.fields, "content-type"));
    auto encoding = lower(outbound::find_header(fields, "content-encoding"));
    with.hide_in(body);
    made.form = form_of(body, made.content_type, !encoding.empty() && encoding != "identity");
    made.body = std::move(body);
    return made;
}

std::string envelope(const proxy_answer& from, const std::string& binary_data) {
    auto made = R"({"status":)" + std::to_string(from.status) + R"(,"headers":)" + headers_object(from.fields);
    if (from.form == answer_form::json) made += R"(,"data":)" + from.body;
    if (from.form == answer_form::text) made += R"(,"data":)" + messaging::quote(from.body);
    if (from.form == answer_form::empty) made += R"(,"data":null)";
    if (from.form == answer_form::binary)
        made += R"(,"binary_data":)" + (binary_data.empty() ? inline_binary(from) : binary_data);
    return made + "}";
}

}  // namespace gateway::accounts
