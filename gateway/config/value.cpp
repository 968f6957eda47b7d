#include "gateway/config/value.hpp"

#include <fmt/format.h>

#include <charconv>

namespace gateway::config {
namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

strings split(std::string_view text) {
    strings parts;
    while (!trimmed(text).empty()) {
        auto comma = text.find(',');
        parts.emplace_back(trimmed(text.substr(0, comma)));
        text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    }
    return parts;
}

failure wrong(std::string expected) { return {errc::invalid_request, std::move(expected)}; }

result<integer> parse_integer(std::string_view text) {
    text = trimmed(text);
    integer number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return wrong("an integer");
    return number;
}

result<value> parse_decimal(std::string_view text) {
    text = trimmed(text);
    decimal number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return wrong("a number");
    return value(number);
}

result<value> parse_boolean(std::string_view text) {
    if (text == "true" || text == "1") return value(true);
    if (text == "false" || text == "0") return value(false);
    return wrong("true or false");
}

result<value> parse_counts(std::string_view text) {
    counts found;
    for (const auto& part : split(text)) {
        auto equals = part.find('=');
        if (equals == part.npos || equals == 0) return wrong("NAME=COUNT, separated by commas");
        auto number = parse_integer(std::string_view(part).substr(equals + 1));
        if (!number) return wrong("NAME=COUNT, separated by commas");
        found[part.substr(0, equals)] = *number;
    }
    return value(std::move(found));
}

struct writer {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(integer number) const { return std::to_string(number); }
    std::string operator()(decimal number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(const strings& list) const {
        std::string out;
        for (const auto& item : list) out += (out.empty() ? "" : ", ") + quoted(item);
        return "[" + out + "]";
    }
    std::string operator()(const counts& table) const {
        std::string out;
        for (const auto& [name, count] : table) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, count);
        return "{" + out + "}";
    }
};

}  // namespace

const char* type_name(const field& of) {
    static constexpr const char* names[] = {"a boolean",       "an integer",        "a text",
                                            "a list of texts", "a table of counts", "a number"};
    return names[of.index()];
}

value read(const field& from) {
    return std::visit([](const auto* at) { return value(*at); }, from);
}

result<value> parse(std::string_view text, const field& as) {
    if (std::holds_alternative<bool*>(as)) return parse_boolean(trimmed(text));
    if (std::holds_alternative<strings*>(as)) return value(split(text));
    if (std::holds_alternative<counts*>(as)) return parse_counts(text);
    if (std::holds_alternative<std::string*>(as)) return value(std::string(text));
    if (std::holds_alternative<decimal*>(as)) return parse_decimal(text);
    auto number = parse_integer(text);
    if (!number) return number.error();
    return value(*number);
}

std::string to_text(const value& what) { return std::visit(writer{}, what); }

}  // namespace gateway::config
