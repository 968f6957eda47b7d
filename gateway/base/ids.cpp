#include "gateway/base/ids.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <ctime>
#include <system_error>
#include <vector>

#include "gateway/base/hex.hpp"

namespace gateway {
namespace {

std::vector<unsigned char> random_bytes(std::size_t count) {
    std::vector<unsigned char> bytes(count);
    std::size_t filled = 0;
    while (filled < count) {
        auto got = ::getrandom(bytes.data() + filled, count - filled, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw std::system_error(errno, std::generic_category(), "getrandom");
        filled += static_cast<std::size_t>(got);
    }
    return bytes;
}

}  // namespace

std::string random_hex(std::size_t bytes) { return to_hex(random_bytes(bytes)); }

std::string make_uuid() {
    auto bytes = random_bytes(16);
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
    auto hex = to_hex(bytes);
    for (std::size_t at : {8u, 13u, 18u, 23u}) hex.insert(at, 1, '-');
    return hex;
}

std::string make_id(const char* prefix) { return prefix + random_hex(12); }

std::string iso8601(wall_clock::time_point when) {
    auto micros = std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
    auto seconds = static_cast<std::time_t>(micros / 1000000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    // By its numbers: fmt's %Y-%m-%d makes a locale for each.
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, micros % 1000000);
}

}  // namespace gateway
