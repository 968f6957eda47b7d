#include <cstddef>
#include <cstdint>

#include "messaging/connection_file.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto parsed = messaging::parse_connection_file({reinterpret_cast<const char*>(data), size});
    if (!parsed) return 0;
    auto text = messaging::to_json(*parsed);
    if (text.size() > 64 * 1024) return 0;
    auto again = messaging::parse_connection_file(text);
    require(again && *again == *parsed);
    return 0;
}
