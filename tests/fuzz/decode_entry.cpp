// Input: one payload of an output log's segment file.
#include <cstddef>
#include <cstdint>

#include "gateway/sessions/entry_codec.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::sessions;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto decoded = decode_payload(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!decoded) return 0;
    record_bytes bytes;
    encode_record(*decoded, bytes);
    std::string record;
    for (auto piece : bytes.pieces()) record += piece;
    require(decode_record_length(record) == record.size() - record_header_bytes);
    auto again = decode_payload(std::string_view(record).substr(record_header_bytes));
    require(again && again->seq == decoded->seq && again->time == decoded->time && again->type == decoded->type);
    require((again->message == nullptr) == (decoded->message == nullptr));
    if (again->message) require(*again->message == *decoded->message);
    return 0;
}
