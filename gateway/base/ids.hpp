// Names and times as they go over the wire. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace gateway {

using wall_clock = std::chrono::system_clock;

// `bytes` random bytes from the operating system, as lower-case hex.
std::string random_hex(std::size_t bytes);
// A version 4 UUID, lower case with dashes.
std::string make_uuid();
// "ses_…", "cell_…", "req_…": `prefix` and 24 hex digits.
std::string make_id(const char* prefix);
// "2026-11-29T14:51:30.270944Z": always six fractional digits and Z (jupyter_server's client parses exactly this).
std::string iso8601(wall_clock::time_point when);

}  // namespace gateway
