#include "gateway/egress/http_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gateway::egress {
namespace {

failure refuse(std::string why) { return {errc::invalid_request, std::move(why)}; }

char lower(char letter) { return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; }

bool same(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The next line without its CR LF; nothing when there is none, or a CR or LF within.
std::optional<std::string_view> take_line(std::string_view& text) {
    auto end = text.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    auto line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
    return line;
}

result<outbound::headers> parse_fields(std::string_view text) {
    outbound::headers fields;
    while (true) {
        auto line = take_line(text);
        if (!line) return refuse("a header line does not end with CR LF");
        if (line->empty()) break;
        auto colon = line->find(':');
        if (colon == std::string_view::npos) return refuse("a header line has no colon");
        auto name = line->substr(0, colon);
        auto value = trimmed(line->substr(colon + 1));
        // A folded line begins with a blank, which no name has; so has "Name :".
        if (!outbound::is_valid_header(name, value))
            return refuse("a header line is folded, or has characters that HTTP does not allow");
        fields.emplace_back(name, value);
    }
    if (!text.empty()) return refuse("there is something behind the head");
    return fields;
}

std::optional<int> parse_version(std::string_view text) {
    if (text == "HTTP/1.1") return 1;
    if (text == "HTTP/1.0") return 0;
    return std::nullopt;
}

bool is_visible(char letter) { return 0x20 < letter && letter < 0x7f; }

result<std::uint64_t> parse_length(std::string_view digits) {
    std::uint64_t made = 0;
    auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), made);
    if (ec != std::errc() || end != digits.data() + digits.size()) return refuse("Content-Length is no number");
    return made;
}

// Nothing when neither field is there.
result<std::optional<body_length>> stated_length(const outbound::headers& fields, int minor_version) {
    auto length = single_field(fields, "content-length");
    if (!length) return length.error();
    auto coding = single_field(fields, "transfer-encoding");
    if (!coding) return coding.error();
    if (*length && *coding) return refuse("Content-Length and Transfer-Encoding exclude each other");
    if (*coding) {
        if (minor_version == 0) return refuse("HTTP/1.0 has no Transfer-Encoding");
        if (!same(**coding, "chunked")) return refuse("only Transfer-Encoding: chunked is known");
        return std::optional(body_length{body_length::kind::chunked, 0});
    }
    if (!*length) return std::optional<body_length>();
    auto bytes = parse_length(**length);
    if (!bytes) return bytes.error();
    return std::optional(body_length{body_length::kind::fixed, *bytes});
}

constexpr std::string_view own_fields[] = {"connection", "keep-alive",        "te",   "trailer",
                                           "upgrade",    "transfer-encoding", "host", "content-length"};

std::vector<std::string_view> named_by_connection(const outbound::headers& fields) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : fields) {
        if (!same(name, "connection")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            auto comma = std::min(rest.find(','), rest.size());
            names.push_back(trimmed(rest.substr(0, comma)));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return names;
}

template <class Names>
bool has(const Names& names, std::string_view name) {
    return std::any_of(std::begin(names), std::end(names), [&](auto each) { return same(each, name); });
}

}  // namespace

result<request_head> parse_request_head(std::string_view text) {
    auto line = take_line(text);
    if (!line) return refuse("the request line does not end with CR LF");
    auto first = line->find(' '), last = line->rfind(' ');
    if (first == std::string_view::npos || first == last) return refuse("the request line is not METHOD URI HTTP/1.1");
    request_head made;
    made.method = line->substr(0, first);
    made.target = line->substr(first + 1, last - first - 1);
    auto version = parse_version(line->substr(last + 1));
    if (!version) return refuse("only HTTP/1.0 and HTTP/1.1 are spoken here");
    made.minor_version = *version;
    if (!outbound::is_valid_header(made.method, "")) return refuse("the method is malformed");
    if (made.target.empty() || !std::all_of(made.target.begin(), made.target.end(), is_visible))
        return refuse("the URI has characters that HTTP does not allow: percent-encode them");
    auto fields = parse_fields(text);
    if (!fields) return fields.error();
    made.fields = std::move(*fields);
    return made;
}

result<answer_head> parse_answer_head(std::string_view text) {
    auto line = take_line(text);
    if (!line) return refuse("the status line does not end with CR LF");
    auto version = parse_version(line->substr(0, 8));
    bool has_status = line->size() >= 12 && (*line)[8] == ' ' && (line->size() == 12 || (*line)[12] == ' ');
    if (!version || !has_status) return refuse("the status line is not HTTP/1.1 STATUS REASON");
    answer_head made;
    made.minor_version = *version;
    auto [end, ec] = std::from_chars(line->data() + 9, line->data() + 12, made.status);
    if (ec != std::errc() || end != line->data() + 12 || made.status < 100) return refuse("the status is no number");
    if (line->size() > 13) made.reason = line->substr(13);
    if (!outbound::is_valid_header("reason", made.reason)) return refuse("the reason has control characters");
    auto fields = parse_fields(text);
    if (!fields) return fields.error();
    made.fields = std::move(*fields);
    return made;
}

result<std::optional<std::string>> single_field(const outbound::headers& fields, std::string_view name) {
    std::optional<std::string> found;
    for (const auto& [each, value] : fields) {
        if (!same(each, name)) continue;
        if (found) return refuse(fmt::format("{} is there twice", each));
        found = value;
    }
    return found;
}

result<body_length> body_of(const request_head& what) {
    auto stated = stated_length(what.fields, what.minor_version);
    if (!stated) return stated.error();
    return stated->value_or(body_length());
}

result<body_length> body_of(const answer_head& what, std::string_view method) {
    auto stated = stated_length(what.fields, what.minor_version);
    if (!stated) return stated.error();
    bool has_none = method == "HEAD" || what.status < 200 || what.status == 204 || what.status == 304;
    if (has_none) return body_length();
    return stated->value_or(body_length{body_length::kind::until_close, 0});
}

outbound::headers end_to_end_fields(const outbound::headers& fields) {
    auto dropped = named_by_connection(fields);
    outbound::headers kept;
    for (const auto& [name, value] : fields) {
        bool is_proxys = name.size() >= 6 && same(std::string_view(name).substr(0, 6), "proxy-");
        if (!is_proxys && !has(own_fields, name) && !has(dropped, name)) kept.emplace_back(name, value);
    }
    return kept;
}

}  // namespace gateway::egress
