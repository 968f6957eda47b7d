#include "gateway/egress/http_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gateway::egress {
namespace {

constexpr std::size_t most_line_bytes = 4096;      // a chunk's size with its extensions, a field of the trailer
constexpr std::size_t most_trailer_bytes = 16384;  // all of them
constexpr std::size_t most_size_digits = 15;       // below 2^60: no sum of ours overflows

failure refuse(const char* why) { return {errc::invalid_request, why}; }

bool is_bad_in_line(char letter) {
    auto code = static_cast<unsigned char>(letter);
    return code != '\t' && (code < 0x20 || code == 0x7f);
}

}  // namespace

body_reader::body_reader(body_length length) : left_(length.bytes) {
    if (length.how == body_length::kind::chunked)
        state_ = state::chunk_size;
    else if (length.how == body_length::kind::until_close)
        state_ = state::until_close;
    else
        state_ = left_ == 0 ? state::done : state::fixed;
}

result<std::string> body_reader::take(std::string_view& from) {
    std::string body;
    while (!from.empty() && state_ != state::done) {
        if (state_ == state::fixed || state_ == state::until_close || state_ == state::chunk) {
            take_bytes(from, body);
            continue;
        }
        auto good = take_line(from);
        if (!good) return good.error();
    }
    return body;
}

void body_reader::take_bytes(std::string_view& from, std::string& into) {
    auto count = from.size();
    if (state_ != state::until_close) count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    into.append(from.substr(0, count));
    from.remove_prefix(count);
    if (state_ == state::until_close) return;
    left_ -= count;
    if (left_ == 0) state_ = state_ == state::fixed ? state::done : state::chunk_end;
}

result<void> body_reader::take_line(std::string_view& from) {
    char next = from.front();
    from.remove_prefix(1);
    if (next == '\n' && line_.ends_with('\r')) {
        line_.pop_back();
        auto good = end_line();
        line_.clear();
        return good;
    }
    if (line_.ends_with('\r') || (next != '\r' && is_bad_in_line(next)))
        return refuse("a line between chunks does not end with CR LF, or has control characters");
    if (line_.size() == most_line_bytes) return refuse("a line between chunks is too long");
    line_ += next;
    return {};
}

result<void> body_reader::end_line() {
    if (state_ == state::chunk_end) {
        if (!line_.empty()) return refuse("a chunk is longer than its size says");
        state_ = state::chunk_size;
        return {};
    }
    if (state_ == state::trailer) {
        trailer_bytes_ += line_.size();
        if (trailer_bytes_ > most_trailer_bytes) return refuse("the trailer is too long");
        if (line_.empty()) state_ = state::done;
        return {};
    }
    auto digits = std::min(line_.find_first_not_of("0123456789abcdefABCDEF"), line_.size());
    auto [end, ec] = std::from_chars(line_.data(), line_.data() + digits, left_, 16);
    bool has_end = digits == line_.size() || line_[digits] == ';' || line_[digits] == ' ' || line_[digits] == '\t';
    if (ec != std::errc() || digits > most_size_digits || !has_end) return refuse("the size of a chunk is malformed");
    state_ = left_ == 0 ? state::trailer : state::chunk;
    return {};
}

std::string chunk_of(std::string_view bytes) {
    return bytes.empty() ? "0\r\n\r\n" : fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

}  // namespace gateway::egress
