// What is said on the launcher's sockets, by the gateway and by zygotes: whatever is decoded is encoded and decoded to
// the same.
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
    if (auto order = kernel::decode_zygote_order(text))
        require(kernel::decode_zygote_order(kernel::encode(*order)) == order);
    if (auto reply = kernel::decode_zygote_reply(text))
        require(kernel::decode_zygote_reply(kernel::encode(*reply)) == reply);
    return 0;
}
