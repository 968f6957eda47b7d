// What is taken as base64 is what its bytes are in base64.
#include <openssl/evp.h>

#include <cstdint>
#include <string>

#include "gateway/base/base64.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto bytes = gateway::from_base64(text);
    if (!bytes) return 0;
    std::string again((bytes->size() + 2) / 3 * 4 + 1, '\0');
    const auto length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(again.data()),
                        reinterpret_cast<const unsigned char*>(bytes->data()), static_cast<int>(bytes->size()));
    again.resize(static_cast<std::size_t>(length));
    // The last digit may have bits that stand for nothing.
    require(again.size() == text.size());
    require(again.empty() || again.compare(0, again.size() - 4, text, 0, text.size() - 4) == 0);
    return 0;
}
