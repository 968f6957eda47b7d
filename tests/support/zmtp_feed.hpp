// Gives a decoder what a peer sent, in pieces, as the stream does: into the frame itself where there is room. Header
// only: tests and fuzz targets share it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "messaging/zmtp_decoder.hpp"

namespace test_support {

// Takes at most `piece` bytes off `bytes`; what the decoder has not been given of them is for next().
inline std::string_view take_piece(messaging::zmtp_decoder& decoder, std::string_view& bytes, std::size_t piece) {
    auto room = decoder.direct();
    auto direct = std::min({room.size(), piece, bytes.size()});
    if (direct > 0) std::memcpy(room.data(), bytes.data(), direct);
    decoder.wrote(direct);
    bytes.remove_prefix(direct);
    auto rest = bytes.substr(0, piece - direct);
    bytes.remove_prefix(rest.size());
    return rest;
}

}  // namespace test_support
