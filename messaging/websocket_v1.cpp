#include "messaging/websocket_v1.hpp"

#include <cstddef>
#include <cstdint>

#include "messaging/large_text.hpp"
#include "messaging/wire.hpp"

namespace messaging {
namespace {

constexpr std::size_t word = 8;         // bytes of an offset
constexpr std::size_t fixed_parts = 5;  // channel, header, parent_header, metadata, content

void put_word(std::string& to, std::uint64_t value) {
    for (std::size_t byte = 0; byte < word; ++byte) to += static_cast<char>(value >> (8 * byte));
}

std::uint64_t get_word(std::string_view from, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t byte = word; byte-- > 0;) value = (value << 8) | static_cast<unsigned char>(from[at + byte]);
    return value;
}

// The table is whole, starts behind itself, never goes back, and ends with the frame.
errc check_offsets(std::string_view bytes, std::uint64_t& parts) {
    if (bytes.size() < word) return errc::bad_offsets;
    std::uint64_t offsets = get_word(bytes, 0);
    if (offsets < fixed_parts + 1) return errc::bad_offsets;
    if (offsets > max_frames) return errc::too_large;
    if (bytes.size() < word * (offsets + 1)) return errc::bad_offsets;
    std::uint64_t previous = word * (offsets + 1);
    if (get_word(bytes, word) != previous) return errc::bad_offsets;
    for (std::uint64_t index = 1; index < offsets; ++index) {
        std::uint64_t offset = get_word(bytes, word * (index + 1));
        if (offset < previous) return errc::bad_offsets;
        previous = offset;
    }
    if (previous != bytes.size()) return errc::bad_offsets;
    parts = offsets - 1;
    return errc::ok;
}

}  // namespace

std::string encode_v1(const message& from) {
    auto bytes = encode_v1_head(from);
    reserve_large(bytes, bytes.size() + from.size());
    for (auto part : from.json_parts()) bytes += part;
    for (const auto& buffer : from.buffers) bytes += buffer;
    return bytes;
}

std::string encode_v1_head(const message& from) {
    auto where = to_string(from.where);
    std::uint64_t offsets = fixed_parts + from.buffers.size() + 1;
    std::uint64_t end = word * (offsets + 1);
    std::string bytes;
    bytes.reserve(end + where.size());
    put_word(bytes, offsets);
    put_word(bytes, end);
    put_word(bytes, end += where.size());
    for (auto part : from.json_parts()) put_word(bytes, end += part.size());
    for (const auto& buffer : from.buffers) put_word(bytes, end += buffer.size());
    return bytes += where;
}

result<message> decode_v1(std::string_view bytes) {
    std::uint64_t parts = 0;
    if (auto refused = check_offsets(bytes, parts); refused != errc::ok) return refused;
    auto slice = [&](std::uint64_t part) {
        std::uint64_t begin = get_word(bytes, word * (part + 1));
        return bytes.substr(begin, get_word(bytes, word * (part + 2)) - begin);
    };
    auto where = find_channel(slice(0));
    if (!where) return errc::bad_channel;

    message decoded;
    decoded.where = *where;
    decoded.header = slice(1);
    decoded.parent_header = slice(2);
    decoded.metadata = slice(3);
    decoded.content = slice(4);
    decoded.buffers.reserve(parts - fixed_parts);
    for (std::uint64_t part = fixed_parts; part < parts; ++part) decoded.buffers.emplace_back(slice(part));
    return decoded;
}

}  // namespace messaging
