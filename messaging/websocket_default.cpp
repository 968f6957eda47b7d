#include "messaging/websocket_default.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"
#include "messaging/wire.hpp"

namespace messaging {
namespace {

constexpr std::size_t word = 4;  // bytes of an offset

// Raw string literals as the header has them; "" where it has none.
struct header_literals {
    std::string_view msg_id = "\"\"";
    std::string_view msg_type = "\"\"";
};

header_literals find_literals(std::string_view header) {
    header_literals found;
    member_scanner members(header);
    json_member each;
    std::string unescaped;
    while (members.next(each)) {
        if (!is_string(each.value)) continue;
        auto key = key_of(each, unescaped);
        if (key == "msg_id") found.msg_id = each.value;
        if (key == "msg_type") found.msg_type = each.value;
    }
    return found;
}

std::string_view or_empty_object(std::string_view json) { return json.empty() ? "{}" : json; }

// Appends to `to`, which may hold an offset table already, and makes room for `more` bytes behind. A kernel may put
// ill-formed UTF-8 into its JSON; clients would drop the connection for it.
void append_json(std::string& to, const message& from, std::string_view buffers_member, std::size_t more = 0) {
    auto literals = find_literals(from.header);
    const std::array<std::string_view, 15> pieces = {
        "{\"header\":",
        or_empty_object(from.header),
        ",\"parent_header\":",
        or_empty_object(from.parent_header),
        ",\"metadata\":",
        or_empty_object(from.metadata),
        ",\"content\":",
        or_empty_object(from.content),
        ",\"channel\":\"",
        to_string(from.where),
        buffers_member,
        literals.msg_id,
        ",\"msg_type\":",
        literals.msg_type,
        "}",
    };
    std::size_t start = to.size();
    std::size_t size = start;
    for (auto piece : pieces) size += piece.size();
    to.reserve(size + more);
    for (auto piece : pieces) to += piece;
    auto json = std::string_view(to).substr(start);
    if (!is_utf8(json)) to.replace(start, std::string::npos, replace_invalid_utf8(json));
}

void put_word(std::string& to, std::size_t at, std::uint64_t value) {
    for (std::size_t byte = 0; byte < word; ++byte) to[at + byte] = static_cast<char>(value >> (8 * (word - 1 - byte)));
}

std::uint64_t get_word(std::string_view from, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t byte = 0; byte < word; ++byte) value = (value << 8) | static_cast<unsigned char>(from[at + byte]);
    return value;
}

std::string encode_binary(const message& from) {
    std::size_t parts = 1 + from.buffers.size();
    std::string bytes(word * (parts + 1), '\0');
    put_word(bytes, 0, parts);
    put_word(bytes, word, bytes.size());
    std::size_t payload = 0;
    for (const auto& buffer : from.buffers) payload += buffer.size();
    append_json(bytes, from, "\",\"msg_id\":", payload);
    for (std::size_t index = 0; index < from.buffers.size(); ++index) {
        put_word(bytes, word * (index + 2), bytes.size());
        bytes += from.buffers[index];
    }
    return bytes;
}

bool is_empty_container(std::string_view value) {
    if (value == "null") return true;
    if (value.front() != '[' && value.front() != '{') return false;
    return value.find_first_not_of(" \n\r\t", 1) == value.size() - 1;
}

struct part_name {
    std::string_view key;
    std::string message::*part;
};

constexpr std::array<part_name, 4> part_names = {{
    {"header", &message::header},
    {"parent_header", &message::parent_header},
    {"metadata", &message::metadata},
    {"content", &message::content},
}};

std::string message::*find_part(std::string_view name) {
    for (const auto& [key, part] : part_names)
        if (key == name) return part;
    return nullptr;
}

errc take_channel(message& into, std::string_view value) {
    if (!is_string(value)) return errc::bad_channel;
    auto where = find_channel(unquote(value));
    if (!where) return errc::bad_channel;
    into.where = *where;
    return errc::ok;
}

errc take_member(message& into, const json_member& member) {
    std::string unescaped;
    auto key = key_of(member, unescaped);
    if (auto part = find_part(key)) {
        if (member.value != "null" && !is_object(member.value)) return errc::bad_json;
        into.*part = member.value == "null" ? std::string_view("{}") : member.value;
        return errc::ok;
    }
    if (key == "channel") return member.value == "null" ? errc::ok : take_channel(into, member.value);
    // Buffers travel in binary frames only; dropping what a client put here would lose its data in silence.
    if (key == "buffers" && !is_empty_container(member.value)) return errc::bad_json;
    return errc::ok;
}

result<message> decode_json(std::string_view json) {
    message decoded;
    member_scanner members(json);
    json_member each;
    while (members.next(each))
        if (auto refused = take_member(decoded, each); refused != errc::ok) return refused;
    if (!members.valid() || decoded.header.empty()) return errc::bad_json;
    return decoded;
}

result<message> decode_binary(std::string_view bytes) {
    if (bytes.size() < word) return errc::bad_offsets;
    std::uint64_t parts = get_word(bytes, 0);
    if (parts < 2) return errc::bad_offsets;
    if (parts > max_frames) return errc::too_large;
    if (bytes.size() < word * (parts + 1)) return errc::bad_offsets;
    auto begin_of = [&](std::uint64_t part) {
        return part == parts ? bytes.size() : get_word(bytes, word * (part + 1));
    };
    if (begin_of(0) != word * (parts + 1)) return errc::bad_offsets;
    for (std::uint64_t part = 0; part < parts; ++part)
        if (begin_of(part) > begin_of(part + 1)) return errc::bad_offsets;

    auto slice = [&](std::uint64_t part) { return bytes.substr(begin_of(part), begin_of(part + 1) - begin_of(part)); };
    auto decoded = decode_json(slice(0));
    if (!decoded) return decoded;
    decoded->buffers.reserve(parts - 1);
    for (std::uint64_t part = 1; part < parts; ++part) decoded->buffers.emplace_back(slice(part));
    return decoded;
}

}  // namespace

websocket_frame encode_default(const message& from) {
    // The offsets are 32 bits wide: what is larger can only go without its buffers.
    if (from.buffers.empty() || from.size() > UINT32_MAX / 2) return encode_default_without_buffers(from);
    return {true, encode_binary(from)};
}

websocket_frame encode_default_without_buffers(const message& from) {
    websocket_frame frame;
    append_json(frame.bytes, from, "\",\"buffers\":[],\"msg_id\":");
    return frame;
}

result<message> decode_default(std::string_view bytes, bool binary) {
    return binary ? decode_binary(bytes) : decode_json(bytes);
}

}  // namespace messaging
