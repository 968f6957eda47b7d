// Input: one byte whose lowest bit says "binary", then the frame.
#include <cstddef>
#include <cstdint>

#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"
#include "messaging/websocket_default.hpp"
#include "tests/fuzz/require.hpp"

using namespace messaging;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view frame(reinterpret_cast<const char*>(data) + 1, size - 1);
    auto decoded = decode_default(frame, data[0] & 1);
    if (!decoded) return 0;
    bool well_formed = true;
    for (const auto* part : {&decoded->header, &decoded->parent_header, &decoded->metadata, &decoded->content}) {
        require(is_object(*part) && is_json(*part));
        well_formed = well_formed && is_utf8(*part);
    }
    auto again = encode_default(*decoded);
    require(again.binary == !decoded->buffers.empty());
    auto twice = decode_default(again.bytes, again.binary);
    require(twice && twice->buffers == decoded->buffers);
    if (well_formed) require(*twice == *decoded);
    if (!again.binary) require(is_utf8(again.bytes) && is_json(again.bytes));
    return 0;
}
