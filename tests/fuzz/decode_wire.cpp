// Input: one byte whose lowest bit asks for a right signature, then frames, each behind a byte with its length.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "messaging/wire.hpp"
#include "tests/fuzz/require.hpp"

using namespace messaging;

namespace {

frames split(std::string_view input) {
    frames parts;
    while (!input.empty()) {
        std::size_t length = std::min<std::size_t>(static_cast<unsigned char>(input[0]), input.size() - 1);
        parts.emplace_back(input.substr(1, length));
        input.remove_prefix(1 + length);
    }
    return parts;
}

void sign(frames& parts, const signer& keys) {
    auto mark = std::find(parts.begin(), parts.end(), delimiter);
    if (parts.end() - mark >= 6) mark[1] = keys.sign({mark[2], mark[3], mark[4], mark[5]});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    signer keys = signer::make("key").value();
    auto parts = split({reinterpret_cast<const char*>(data) + 1, size - 1});
    if (data[0] & 1) sign(parts, keys);
    auto decoded = decode_wire(parts, channel::iopub, keys);
    if (decoded) require(encode_wire(*decoded, keys) == parts);
    if (decoded) require(decode_wire(parts, channel::iopub, keys).error() == errc::duplicate_signature);
    return 0;
}
