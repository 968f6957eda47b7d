#include "messaging/wire.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace messaging {
namespace {

constexpr std::size_t signed_parts = 4;

}  // namespace

result<message> decode_wire(frames parts, channel where, signer& keys) {
    if (parts.size() > max_frames) return errc::too_large;
    auto mark = std::find(parts.begin(), parts.end(), delimiter);
    if (mark == parts.end()) return errc::no_delimiter;
    if (static_cast<std::size_t>(parts.end() - mark) < 2 + signed_parts) return errc::too_few_frames;
    auto json = mark + 2;
    auto valid = keys.verify({json[0], json[1], json[2], json[3]}, mark[1]);
    if (!valid) return valid.error();

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

frames encode_wire(const message& from, signer& keys) {
    frames parts;
    parts.reserve(from.identities.size() + 2 + signed_parts + from.buffers.size());
    parts.insert(parts.end(), from.identities.begin(), from.identities.end());
    parts.emplace_back(delimiter);
    parts.push_back(keys.sign({from.header, from.parent_header, from.metadata, from.content}));
    for (const auto* json : {&from.header, &from.parent_header, &from.metadata, &from.content}) parts.push_back(*json);
    parts.insert(parts.end(), from.buffers.begin(), from.buffers.end());
    return parts;
}

}  // namespace messaging
