// An entry as bytes: what the segment files of an output log hold. Pure; any thread.
//
// A segment file is a sequence of records. A record is the length of its payload (8 bytes, little-endian), then the
// payload: numbers are LEB128 (7 bits a byte, the lowest first), a text is its length and its bytes.
//
//     seq  kind  time_ns  client  cell_id  type  parent  body  has_message
//     when has_message is 1: channel  count identity…  header  parent_header  metadata  content  count buffer…
//
// Example: the event {seq 300, time 1 ns, cell_id "c", type "t", body "{}"} is
//     0e 00 00 00 00 00 00 00 | ac 02 | 01 | 01 | 00 | 01 63 | 01 74 | 00 | 02 7b 7d | 00
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"
#include "gateway/sessions/entry.hpp"
#include "gateway/sessions/record_bytes.hpp"

namespace gateway::sessions {

inline constexpr std::size_t record_header_bytes = 8;

// Appends the record, length and all; `from` outlives `to`.
void encode_record(const entry& from, record_bytes& to);
// The payload's length; `header` has record_header_bytes.
std::uint64_t decode_record_length(std::string_view header);
// io_error when the bytes are not exactly one entry. The entry's first_seq is its seq.
result<entry> decode_payload(std::string_view payload);

}  // namespace gateway::sessions
