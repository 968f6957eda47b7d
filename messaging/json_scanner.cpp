#include "messaging/json_scanner.hpp"

#include <bitset>
#include <cstdint>
#include <cstring>

namespace messaging {
namespace {

// Every function takes a position and gives the one behind what it skipped; `failed` is past every end, so it passes
// through the next function unharmed.
constexpr std::size_t failed = std::string_view::npos;

bool is_at(std::string_view text, std::size_t at, char wanted) { return at < text.size() && text[at] == wanted; }

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) ++at;
    return at;
}

constexpr std::uint64_t each_byte(std::uint64_t value) { return value * 0x0101010101010101u; }

// A quote, a backslash or a control character is somewhere in the eight bytes.
bool has_special(std::uint64_t block) {
    auto has_zero = [](std::uint64_t x) { return (x - each_byte(0x01)) & ~x & each_byte(0x80); };
    auto below_space = (block - each_byte(0x20)) & ~block & each_byte(0x80);
    return (has_zero(block ^ each_byte('"')) | has_zero(block ^ each_byte('\\')) | below_space) != 0;
}

std::size_t skip_plain(std::string_view text, std::size_t at) {
    while (text.size() - at >= 8) {
        std::uint64_t block;
        std::memcpy(&block, text.data() + at, 8);
        if (has_special(block)) break;
        at += 8;
    }
    return at;
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::size_t skip_escape(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size()) return failed;
    if (text[at + 1] != 'u')
        return std::string_view("\"\\/bfnrt").find(text[at + 1]) == std::string_view::npos ? failed : at + 2;
    if (text.size() - at < 6) return failed;
    for (std::size_t digit = at + 2; digit < at + 6; ++digit)
        if (!is_hex(text[digit])) return failed;
    return at + 6;
}

std::size_t skip_string(std::string_view text, std::size_t at) {
    if (!is_at(text, at, '"')) return failed;
    ++at;
    while (at < text.size()) {
        at = skip_plain(text, at);
        if (at == text.size()) return failed;
        if (text[at] == '"') return at + 1;
        if (static_cast<unsigned char>(text[at]) < 0x20) return failed;
        at = text[at] == '\\' ? skip_escape(text, at) : at + 1;
    }
    return failed;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
    std::size_t start = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at == start ? failed : at;
}

std::size_t skip_number(std::string_view text, std::size_t at) {
    if (is_at(text, at, '-')) ++at;
    at = is_at(text, at, '0') ? at + 1 : skip_digits(text, at);
    if (is_at(text, at, '.')) at = skip_digits(text, at + 1);
    if (is_at(text, at, 'e') || is_at(text, at, 'E')) {
        ++at;
        if (is_at(text, at, '+') || is_at(text, at, '-')) ++at;
        at = skip_digits(text, at);
    }
    return at;
}

std::size_t skip_scalar(std::string_view text, std::size_t at) {
    if (at >= text.size()) return failed;
    if (text[at] == '"') return skip_string(text, at);
    for (std::string_view literal : {"true", "false", "null"})
        if (text.substr(at, literal.size()) == literal) return at + literal.size();
    return skip_number(text, at);
}

std::size_t skip_key(std::string_view text, std::size_t at) {
    at = skip_space(text, skip_string(text, skip_space(text, at)));
    return is_at(text, at, ':') ? at + 1 : failed;
}

// Which of the open brackets are braces; a fixed size, so that hostile nesting costs neither stack nor heap.
class nesting {
  public:
    bool empty() const { return depth_ == 0; }
    bool in_object() const { return braces_[depth_ - 1]; }
    char closer() const { return in_object() ? '}' : ']'; }
    void pop() { --depth_; }
    bool push(bool brace) {
        if (depth_ == max_json_depth) return false;
        braces_[depth_++] = brace;
        return true;
    }

  private:
    std::bitset<max_json_depth> braces_;
    std::size_t depth_ = 0;
};

// Behind an opening bracket: at the first element (its key skipped), or behind an empty container.
std::size_t enter(std::string_view text, std::size_t at, nesting& open, bool& closed) {
    if (!open.push(text[at] == '{')) return failed;
    at = skip_space(text, at + 1);
    closed = is_at(text, at, open.closer());
    if (closed) {
        open.pop();
        return at + 1;
    }
    return open.in_object() ? skip_key(text, at) : at;
}

// Behind a value: at the next element of what is open, or behind the outermost bracket.
std::size_t leave(std::string_view text, std::size_t at, nesting& open) {
    while (!open.empty() && at != failed) {
        at = skip_space(text, at);
        if (is_at(text, at, ',')) return open.in_object() ? skip_key(text, at + 1) : at + 1;
        if (!is_at(text, at, open.closer())) return failed;
        open.pop();
        ++at;
    }
    return at;
}

std::size_t skip_nested(std::string_view text, std::size_t at) {
    nesting open;
    do {
        at = skip_space(text, at);
        bool value_ended = true;
        if (is_at(text, at, '{') || is_at(text, at, '['))
            at = enter(text, at, open, value_ended);
        else
            at = skip_scalar(text, at);
        if (value_ended) at = leave(text, at, open);
    } while (at != failed && !open.empty());
    return at;
}

std::size_t skip_value(std::string_view text, std::size_t at) {
    return is_at(text, at, '{') || is_at(text, at, '[') ? skip_nested(text, at) : skip_scalar(text, at);
}

}  // namespace

// Each gives what next() is to return.

bool member_scanner::refuse() {
    state_ = state::broken;
    return false;
}

bool member_scanner::open() {
    at_ = skip_space(text_, at_);
    if (!is_at(text_, at_, '{')) return refuse();
    state_ = state::inside;
    at_ = skip_space(text_, at_ + 1);
    return !is_at(text_, at_, '}') || close();
}

bool member_scanner::close() {
    at_ = skip_space(text_, at_ + 1);
    state_ = at_ == text_.size() ? state::complete : state::broken;
    return false;
}

bool member_scanner::read_member(json_member& into) {
    std::size_t key = skip_space(text_, at_);
    std::size_t key_end = skip_string(text_, key);
    std::size_t colon = skip_space(text_, key_end);
    if (!is_at(text_, colon, ':')) return refuse();
    std::size_t value = skip_space(text_, colon + 1);
    std::size_t end = skip_value(text_, value);
    if (end == failed) return refuse();
    at_ = end;
    into = {text_.substr(key + 1, key_end - key - 2), text_.substr(value, at_ - value)};
    return true;
}

bool member_scanner::next(json_member& into) {
    if (state_ == state::unopened) return open() && read_member(into);
    if (state_ != state::inside) return false;
    at_ = skip_space(text_, at_);
    if (is_at(text_, at_, '}')) return close();
    if (!is_at(text_, at_, ',')) return refuse();
    ++at_;
    return read_member(into);
}

bool element_scanner::refuse() {
    state_ = state::broken;
    return false;
}

bool element_scanner::close() {
    at_ = skip_space(text_, at_ + 1);
    state_ = at_ == text_.size() ? state::complete : state::broken;
    return false;
}

bool element_scanner::read_element(std::string_view& into) {
    std::size_t value = skip_space(text_, at_);
    std::size_t end = skip_value(text_, value);
    if (end == failed) return refuse();
    at_ = end;
    into = text_.substr(value, end - value);
    return true;
}

bool element_scanner::next(std::string_view& into) {
    if (state_ == state::complete || state_ == state::broken) return false;
    at_ = skip_space(text_, at_);
    bool is_first = state_ == state::unopened;
    if (is_first && !is_at(text_, at_, '[')) return refuse();
    state_ = state::inside;
    if (is_first) at_ = skip_space(text_, at_ + 1);
    if (is_at(text_, at_, ']')) return close();
    if (!is_first && !is_at(text_, at_, ',')) return refuse();
    if (!is_first) ++at_;
    return read_element(into);
}

bool is_json(std::string_view text) { return skip_space(text, skip_value(text, skip_space(text, 0))) == text.size(); }

}  // namespace messaging
