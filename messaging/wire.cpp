#include "messaging/wire.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace messaging {
namespace {

constexpr std::size_t signed_parts = 4;

// Where the delimiter is, if all that must follow it does.
result<std::size_t> find_delimiter(const frames& parts) {
    if (parts.size() > max_frames) return errc::too_large;
    auto mark = std::find(parts.begin(), parts.end(), delimiter);
    if (mark == parts.end()) return errc::no_delimiter;
    if (static_cast<std::size_t>(parts.end() - mark) < 2 + signed_parts) return errc::too_few_frames;
    return static_cast<std::size_t>(mark - parts.begin());
}

std::array<std::string_view, signed_parts> parts_after(const frames& parts, std::size_t mark) {
    return {parts[mark + 2], parts[mark + 3], parts[mark + 4], parts[mark + 5]};
}

message take_apart(frames parts, std::size_t at, channel where) {
    auto mark = parts.begin() + static_cast<std::ptrdiff_t>(at);
    auto json = mark + 2;
    message decoded;
    decoded.where = where;
    decoded.identities.assign(std::move_iterator(parts.begin()), std::move_iterator(mark));
    decoded.header = std::move(json[0]);
    decoded.parent_header = std::move(json[1]);
    decoded.metadata = std::move(json[2]);
    decoded.content = std::move(json[3]);
    decoded.buffers.assign(std::move_iterator(json + signed_parts), std::move_iterator(parts.end()));
    return decoded;
}

}  // namespace

result<std::array<std::string_view, signed_parts>> find_signed_parts(const frames& parts) {
    auto mark = find_delimiter(parts);
    if (!mark) return mark.error();
    return parts_after(parts, *mark);
}

result<message> decode_wire(frames parts, channel where, signer& keys) {
    auto mark = find_delimiter(parts);
    if (!mark) return mark.error();
    auto valid = keys.verify(parts_after(parts, *mark), parts[*mark + 1]);
    if (!valid) return valid.error();
    return take_apart(std::move(parts), *mark, where);
}

result<message> decode_wire(frames parts, channel where, signer& keys, std::string_view expected) {
    auto mark = find_delimiter(parts);
    if (!mark) return mark.error();
    auto valid = keys.accept(expected, parts[*mark + 1]);
    if (!valid) return valid.error();
    return take_apart(std::move(parts), *mark, where);
}

frames encode_wire(const message& from, signer& keys) { return encode_wire(message(from), keys); }

frames encode_wire(message&& from, signer& keys) {
    auto signature = keys.sign(from.json_parts());
    frames parts = std::move(from.identities);
    parts.reserve(parts.size() + 2 + signed_parts + from.buffers.size());
    parts.emplace_back(delimiter);
    parts.push_back(std::move(signature));
    for (auto* json : {&from.header, &from.parent_header, &from.metadata, &from.content})
        parts.push_back(std::move(*json));
    std::move(from.buffers.begin(), from.buffers.end(), std::back_inserter(parts));
    return parts;
}

}  // namespace messaging
