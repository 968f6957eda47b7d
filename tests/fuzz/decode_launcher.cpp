// Commands and replies of the launcher's socket: whatever is decoded is encoded and decoded to the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernel/launcher/codec.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    if (auto command = kernel::decode_command(text))
        require(kernel::decode_command(kernel::encode(*command)) == command);
    if (auto reply = kernel::decode_reply(text)) require(kernel::decode_reply(kernel::encode(*reply)) == reply);
    return 0;
}
