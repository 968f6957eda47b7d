#include "gateway/accounts/spellings.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>

#include "messaging/utf8.hpp"

namespace gateway::accounts {
namespace {

struct named_letter {
    std::string_view name;
    char letter;
};

// HTML's names of ASCII characters.
constexpr named_letter entities[] = {
    {"amp;", '&'},    {"lt;", '<'},     {"gt;", '>'},     {"quot;", '"'},   {"apos;", '\''},  {"AMP;", '&'},
    {"LT;", '<'},     {"GT;", '>'},     {"QUOT;", '"'},   {"sol;", '/'},    {"bsol;", '\\'},  {"plus;", '+'},
    {"equals;", '='}, {"colon;", ':'},  {"semi;", ';'},   {"comma;", ','},  {"period;", '.'}, {"num;", '#'},
    {"percnt;", '%'}, {"excl;", '!'},   {"dollar;", '$'}, {"ast;", '*'},    {"midast;", '*'}, {"lpar;", '('},
    {"rpar;", ')'},   {"lsqb;", '['},   {"lbrack;", '['}, {"rsqb;", ']'},   {"rbrack;", ']'}, {"lcub;", '{'},
    {"lbrace;", '{'}, {"rcub;", '}'},   {"rbrace;", '}'}, {"lowbar;", '_'}, {"Hat;", '^'},    {"grave;", '`'},
    {"quest;", '?'},  {"commat;", '@'}, {"vert;", '|'},   {"verbar;", '|'}, {"nbsp;", ' '},
};

int digit_of(char letter) {
    if ('0' <= letter && letter <= '9') return letter - '0';
    const char low = static_cast<char>(letter | 0x20);
    return 'a' <= low && low <= 'f' ? low - 'a' + 10 : -1;
}

struct number {
    std::uint32_t value = 0;
    std::size_t digits = 0;
};

number read_number(std::string_view text, int base, std::size_t most) {
    number made;
    for (; made.digits < text.size() && made.digits < most; ++made.digits) {
        int digit = digit_of(text[made.digits]);
        if (digit < 0 || digit >= base) break;
        made.value = made.value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
    }
    return made;
}

spelling of_line_break(std::size_t length) { return {{}, 0, length}; }
spelling of_letter(char letter, std::size_t length) {
    if (letter == '\r' || letter == '\n') return of_line_break(length);
    return {{letter}, 1, length};
}

spelling of_code_point(std::uint32_t code, std::size_t length) {
    if (code < 0x80) return of_letter(static_cast<char>(code), length);
    std::string bytes;
    messaging::append_utf8(bytes, code <= 0x10FFFF ? code : 0xFFFD);
    spelling made{{}, bytes.size(), length};
    std::copy(bytes.begin(), bytes.end(), made.letters.begin());
    return made;
}

// Exactly `digits` of them behind `skipped` letters.
std::optional<number> exact_hex(std::string_view text, std::size_t skipped, std::size_t digits) {
    if (text.size() < skipped + digits) return std::nullopt;
    auto made = read_number(text.substr(skipped), 16, digits);
    if (made.digits != digits) return std::nullopt;
    return made;
}

// uXXXX; two of them where they are halves of one character.
std::optional<spelling> behind_u(std::string_view text) {
    auto first = exact_hex(text, 1, 4);
    if (!first) return std::nullopt;
    bool is_half = 0xD800 <= first->value && first->value < 0xDC00 && text.substr(5).starts_with("\\u");
    auto second = is_half ? exact_hex(text, 7, 4) : std::nullopt;
    if (!second || second->value < 0xDC00 || second->value > 0xDFFF) return of_code_point(first->value, 5);
    return of_code_point(0x10000 + ((first->value - 0xD800) << 10) + (second->value - 0xDC00), 11);
}

std::optional<spelling> behind_percent(std::string_view text) {
    if (text.starts_with('u')) return behind_u(text);
    auto byte = exact_hex(text, 0, 2);
    if (!byte) return std::nullopt;
    return of_letter(static_cast<char>(byte->value), 2);
}

std::optional<spelling> behind_backslash(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const char letter = text.front();
    if (letter == 'n' || letter == 'r') return of_line_break(1);
    if (letter == 'u') return behind_u(text);
    auto wide = letter == 'U' ? exact_hex(text, 1, 8) : letter == 'x' ? exact_hex(text, 1, 2) : std::nullopt;
    if (wide) return of_code_point(wide->value, 1 + wide->digits);
    if (std::ispunct(static_cast<unsigned char>(letter))) return of_letter(letter, 1);
    return std::nullopt;
}

std::optional<spelling> behind_ampersand(std::string_view text) {
    for (const auto& [name, letter] : entities)
        if (text.starts_with(name)) return of_letter(letter, name.size());
    if (!text.starts_with('#')) return std::nullopt;
    bool is_hex = text.size() > 1 && (text[1] | 0x20) == 'x';
    std::size_t before = is_hex ? 2 : 1;
    auto code = read_number(text.substr(before), is_hex ? 16 : 10, 8);
    auto end = before + code.digits;
    if (code.digits == 0 || end >= text.size() || text[end] != ';') return std::nullopt;
    return of_code_point(code.value, end + 1);
}

std::optional<spelling> behind(char letter, std::string_view text) {
    if (letter == '%') return behind_percent(text);
    if (letter == '\\') return behind_backslash(text);
    if (letter == '&') return behind_ampersand(text);
    if (letter == '+') return of_letter(' ', 0);  // in a form
    if (letter == '\r' || letter == '\n') return of_line_break(0);
    return std::nullopt;
}

}  // namespace

bool introduces_spelling(char letter) {
    return letter == '%' || letter == '\\' || letter == '&' || letter == '+' || letter == '\r' || letter == '\n';
}

bool spellings::next(spelling& into) {
    if (last_.length == 0) {
        if (rest_.empty()) return false;
        last_ = {{rest_.front()}, 1, 1};
    } else {
        // What was read may introduce another: \u0026 stands for &, and amp; may follow.
        bool may_go_on = last_.count == 1 && introduces_spelling(last_.letters[0]) && ++depth_ < deepest_spelling;
        auto more = may_go_on ? behind(last_.letters[0], rest_.substr(last_.length)) : std::nullopt;
        if (!more || last_.length + more->length > longest_spelling) return false;
        more->length += last_.length;
        last_ = *more;
    }
    into = last_;
    return true;
}

}  // namespace gateway::accounts
