#include "gateway/tools/id_scanner.hpp"

#include <charconv>

namespace gateway::tools {
namespace {

constexpr std::size_t most_keys = 16;  // JSON-RPC has six
constexpr std::size_t kept = 24;       // a key "id" and a 64-bit number are shorter

bool is_space(char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n'; }

}  // namespace

void id_scanner::feed(std::string_view bytes) {
    for (char letter : bytes) in_string_ ? take_in_string(letter) : take(letter);
}

void id_scanner::take_in_string(char letter) {
    if (escaped_) {
        escaped_ = false;
    } else if (letter == '\\') {
        escaped_ = true;
    } else if (letter == '"') {
        in_string_ = false;
        return;
    }
    if (depth_ == 1 && text_.size() < kept) text_ += letter;
}

void id_scanner::take(char letter) {
    if (letter == '"') {
        in_string_ = true;
        text_ = after_colon_ ? "\"" : "";  // so that the value "7" is no number
    } else if (letter == '{' || letter == '[') {
        ++depth_;
        text_.clear();
    } else if (letter == '}' || letter == ']') {
        if (depth_ == 1) end_of_value();
        --depth_;
    } else if (depth_ == 1 && letter == ':') {
        key_ = text_;
        if (keys_.size() < most_keys) keys_.insert(key_);
        text_.clear();
        after_colon_ = true;
    } else if (depth_ == 1 && letter == ',') {
        end_of_value();
    } else if (depth_ == 1 && !is_space(letter) && text_.size() < kept) {
        text_ += letter;
    }
}

void id_scanner::end_of_value() {
    std::uint64_t number = 0;
    auto [end, ec] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (after_colon_ && key_ == "id" && ec == std::errc() && end == text_.data() + text_.size()) id_ = number;
    after_colon_ = false;
    text_.clear();
}

}  // namespace gateway::tools
