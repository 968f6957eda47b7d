#include <cstddef>
#include <cstdint>

#include "messaging/websocket_v1.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view frame(reinterpret_cast<const char*>(data), size);
    auto decoded = messaging::decode_v1(frame);
    if (decoded) require(messaging::encode_v1(*decoded) == frame);
    return 0;
}
