// Input: one byte with the size of the pieces, then what a peer sends after its greeting and READY (first bit of the
// size: from the greeting on). What is found must not depend on the pieces, and messages come back as they were sent.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "messaging/zmtp_decoder.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/zmtp_feed.hpp"

using namespace messaging;

namespace {

constexpr zmtp_limits small{6, 200'000};

std::vector<zmtp_event> read(std::string_view bytes, std::size_t piece) {
    zmtp_decoder decoder(zmtp_role::dealer, small);
    std::vector<zmtp_event> found;
    while (!bytes.empty()) {
        auto rest = test_support::take_piece(decoder, bytes, piece);
        for (auto event = decoder.next(rest); event.what != zmtp_event::needs_more; event = decoder.next(rest)) {
            found.push_back(event);
            if (event.what == zmtp_event::failed) return found;
        }
        require(rest.empty());
    }
    return found;
}

void require_limits(const frames& parts) {
    std::size_t size = 0;
    for (const auto& part : parts) size += part.size();
    require(!parts.empty() && parts.size() <= small.frames && size <= small.message_bytes);
}

void require_round_trip(const std::string& opening, const frames& parts) {
    std::vector<std::string_view> views(parts.begin(), parts.end());
    auto again = read(opening + encode_zmtp(views), 1 << 20);
    require(again.size() == 3 && again[2].parts == parts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    auto opening = zmtp_greeting() + zmtp_ready(zmtp_role::dealer, "");
    std::string input = data[0] & 1 ? std::string() : opening;
    input.append(reinterpret_cast<const char*>(data) + 1, size - 1);
    auto whole = read(input, input.size() + 1);
    auto pieces = read(input, data[0] / 2 + 1u);
    require(whole.size() == pieces.size());
    for (std::size_t index = 0; index < whole.size(); ++index) {
        require(whole[index].what == pieces[index].what && whole[index].parts == pieces[index].parts);
        require(whole[index].context == pieces[index].context && whole[index].error == pieces[index].error);
        if (whole[index].what != zmtp_event::message) continue;
        require_limits(whole[index].parts);
        require_round_trip(opening, whole[index].parts);
    }
    return 0;
}
