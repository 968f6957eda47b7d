// What an answer that is a file says of it: name, type, time. Pure; any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace gateway::http {

// "attachment; filename=…; filename*=…" (RFC 6266, 8187): any name, as what is saved and never shown as a page of ours.
std::string attachment(std::string_view name);
// By the name's extension; application/octet-stream when it is not a known one.
std::string media_type(std::string_view name);
// "Sun, 29 Nov 2026 14:51:30 GMT".
std::string http_date(std::chrono::system_clock::time_point when);

}  // namespace gateway::http
