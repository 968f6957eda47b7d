// The Range header (RFC 9110 section 14): one range of bytes. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace gateway::http {

enum class range_kind : std::uint8_t {
    whole,          // none asked for, or one that may be ignored: another unit, several ranges, no range at all
    part,           // 206
    unsatisfiable,  // 416
};

struct byte_range {
    range_kind kind = range_kind::whole;
    std::uint64_t first = 0;
    std::uint64_t length = 0;

    bool operator==(const byte_range&) const = default;
};

// Of a body of `size` bytes; for `whole` that is the length.
byte_range read_range(std::string_view header, std::uint64_t size);

}  // namespace gateway::http
