#include "messaging/zmtp_decoder.hpp"

#include <algorithm>
#include <utility>

#include "messaging/large_text.hpp"

namespace messaging {
namespace {

constexpr std::size_t short_head = 2;             // flags and a length of one byte
constexpr std::size_t long_head = 9;              // flags and a length of eight
constexpr std::uint64_t max_command = 64 * 1024;  // a READY has some hundred bytes
constexpr std::size_t ping_ttl = 2;
constexpr std::size_t max_ping_context = 16;  // RFC 37
constexpr std::size_t usual_frames = 8;       // a topic, the delimiter, a signature, four JSON parts, perhaps a buffer
// std::string clears what it grows by: in pieces that the processor's cache still holds when they are filled.
constexpr std::size_t growth = 256 * 1024;

std::string_view take_name(std::string_view& from) {
    if (from.empty()) return {};
    std::size_t length = static_cast<unsigned char>(from[0]);
    if (from.size() < 1 + length) return {};
    auto name = from.substr(1, length);
    from.remove_prefix(1 + length);
    return name;
}

}  // namespace

zmtp_decoder::zmtp_decoder(zmtp_role role, zmtp_limits limits) : role_(role), limits_(limits) {}

zmtp_event zmtp_decoder::next(std::string_view& bytes) {
    for (;;) {
        step found;
        switch (place_) {
            case place::greeting:
                found = take_greeting(bytes);
                break;
            case place::header:
                found = take_header(bytes);
                break;
            case place::body:
                found = take_body(bytes);
                break;
            case place::broken:
                found = fail(failure_);
                break;
        }
        if (found) return std::move(*found);
    }
}

// Judged byte by byte: an older peer waits for a shorter greeting than ours and says no more.
zmtp_decoder::step zmtp_decoder::take_greeting(std::string_view& bytes) {
    static const std::string ours = zmtp_greeting();
    while (head_size_ < zmtp_greeting_bytes) {
        if (bytes.empty()) return zmtp_event{};
        auto at = head_size_++;
        head_[at] = bytes.front();
        bytes.remove_prefix(1);
        bool is_signature = at == 0 || at == 9;
        bool is_mechanism = at >= zmtp_mechanism_at && at < zmtp_mechanism_at + 20;
        if (is_signature && head_[at] != ours[at]) return fail(errc::not_zmtp);
        if (at == zmtp_version_at && static_cast<unsigned char>(head_[at]) < zmtp_major) return fail(errc::not_zmtp);
        if (is_mechanism && head_[at] != ours[at]) return fail(errc::wrong_mechanism);
    }
    head_size_ = 0;
    place_ = place::header;
    zmtp_event greeted;
    greeted.what = zmtp_event::greeted;
    return greeted;
}

zmtp_decoder::step zmtp_decoder::take_header(std::string_view& bytes) {
    std::size_t wanted = 1;
    for (;;) {
        if (head_size_ > 0) wanted = head_[0] & zmtp_long ? long_head : short_head;
        if (head_size_ == wanted) break;
        if (bytes.empty()) return zmtp_event{};
        head_[head_size_++] = bytes.front();
        bytes.remove_prefix(1);
    }
    std::uint64_t size = 0;
    for (std::size_t at = 1; at < wanted; ++at) size = size << 8 | static_cast<unsigned char>(head_[at]);
    head_size_ = 0;
    return begin_frame(static_cast<unsigned char>(head_[0]), size);
}

zmtp_decoder::step zmtp_decoder::begin_frame(unsigned char flags, std::uint64_t size) {
    flags_ = flags;
    bool more = flags & zmtp_more;
    if ((flags & ~(zmtp_more | zmtp_long | zmtp_command)) || (is_command() && more)) return fail(errc::bad_frame);
    if (size >> 63 || (is_command() && size > max_command)) return fail(errc::bad_frame);
    if (!is_command() && !is_ready_) return fail(errc::bad_frame);
    place_ = place::body;
    left_ = size;
    filled_ = 0;
    if (is_command() || skipping_) return {};
    if (parts_.size() < limits_.frames && size <= limits_.message_bytes - announced_) {
        announced_ += size;
        return {};
    }
    skipping_ = true;
    parts_ = {};
    zmtp_event refused;
    refused.what = zmtp_event::refused;
    refused.error = errc::too_large;
    return refused;
}

zmtp_decoder::step zmtp_decoder::take_body(std::string_view& bytes) {
    auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    if (count > 0 && is_kept()) append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    left_ -= count;
    if (left_ > 0) return zmtp_event{};
    place_ = place::header;
    return finish_frame();
}

void zmtp_decoder::append(std::string_view piece) {
    if (filled_ == 0) reserve_large(body_, left_);
    body_.resize(filled_);
    body_.append(piece);
    filled_ += piece.size();
}

std::span<char> zmtp_decoder::direct() {
    if (place_ != place::body || !is_kept() || left_ < direct_bytes) return {};
    auto room = static_cast<std::size_t>(std::min<std::uint64_t>(left_, growth));
    if (filled_ == 0) reserve_large(body_, left_);
    // What an earlier call made room for is used up first: growing costs the clearing.
    if (body_.size() < filled_ + std::min(room, direct_bytes)) body_.resize(filled_ + room);
    return std::span(body_).subspan(filled_);
}

void zmtp_decoder::wrote(std::size_t count) {
    filled_ += count;
    left_ -= count;
}

zmtp_decoder::step zmtp_decoder::finish_frame() {
    body_.resize(filled_);
    if (is_command()) return finish_command();
    bool more = flags_ & zmtp_more;
    if (!skipping_) {
        if (parts_.empty()) parts_.reserve(usual_frames);
        parts_.push_back(std::exchange(body_, {}));
    }
    if (more) return {};
    announced_ = 0;
    if (std::exchange(skipping_, false)) return {};
    zmtp_event message;
    message.what = zmtp_event::message;
    message.parts = std::exchange(parts_, {});
    return message;
}

zmtp_decoder::step zmtp_decoder::finish_command() {
    auto body = std::exchange(body_, {});
    std::string_view data = body;
    auto name = take_name(data);
    if (name.empty()) return fail(errc::bad_frame);
    if (name == "ERROR") return fail(errc::refused_by_peer);
    if (name == "READY") {
        if (is_ready_) return fail(errc::bad_frame);
        if (auto fits = check_zmtp_ready(role_, data); !fits) return fail(static_cast<errc>(fits.error().value()));
        is_ready_ = true;
        zmtp_event ready;
        ready.what = zmtp_event::ready;
        return ready;
    }
    if (name != "PING") return {};
    if (data.size() < ping_ttl) return fail(errc::bad_frame);
    zmtp_event ping;
    ping.what = zmtp_event::ping;
    ping.context = data.substr(ping_ttl, max_ping_context);
    return ping;
}

zmtp_event zmtp_decoder::fail(errc why) {
    place_ = place::broken;
    failure_ = why;
    body_ = {};
    parts_ = {};
    zmtp_event failed;
    failed.what = zmtp_event::failed;
    failed.error = why;
    return failed;
}

}  // namespace messaging
