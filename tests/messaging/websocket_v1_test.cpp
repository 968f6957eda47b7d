#include "messaging/websocket_v1.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "messaging/wire.hpp"

namespace messaging {
namespace {

message sample() {
    message each;
    each.where = channel::control;
    each.header = R"({"msg_id":"i"})";
    each.parent_header = "{ }";
    each.metadata = R"({"m": 1})";
    each.content = "{\"a\":\"\xFF\"}";
    return each;
}

std::string words(const std::vector<std::uint64_t>& values) {
    std::string bytes;
    for (auto each : values)
        for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(each >> shift);
    return bytes;
}

errc refused(std::string_view bytes) {
    auto decoded = decode_v1(bytes);
    return decoded ? errc::ok : static_cast<errc>(decoded.error().value());
}

// A frame whose parts are "shell", "{}", "{}", "{}", "{}": seven words, then 13 bytes.
const std::vector<std::uint64_t> good_table = {6, 56, 61, 63, 65, 67, 69};
const std::string good_parts = "shell{}{}{}{}";

TEST(websocket_v1, has_the_layout_of_the_specification) {
    message each;
    each.header = "{}";
    EXPECT_EQ(encode_v1(each), words(good_table) + good_parts);
    each.buffers = {"", "ab"};
    EXPECT_EQ(encode_v1(each), words({8, 72, 77, 79, 81, 83, 85, 85, 87}) + good_parts + "ab");
}

TEST(websocket_v1, gives_back_every_byte) {
    auto each = sample();
    EXPECT_EQ(decode_v1(encode_v1(each)).value(), each);
    each.buffers = {"", std::string("\xFF\xFE\0", 3), std::string(70'000, 'b'), ""};
    EXPECT_EQ(decode_v1(encode_v1(each)).value(), each);
}

TEST(websocket_v1, refuses_every_cut) {
    auto whole = encode_v1(sample());
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_EQ(refused(std::string_view(whole).substr(0, length)), errc::bad_offsets) << length;
    EXPECT_EQ(refused(whole + "x"), errc::bad_offsets);
}

TEST(websocket_v1, refuses_hostile_offsets_before_it_touches_a_byte) {
    EXPECT_EQ(refused(words(good_table) + good_parts), errc::ok);
    for (std::size_t index = 1; index < good_table.size(); ++index)
        for (std::uint64_t value :
             {std::uint64_t{0}, std::uint64_t{55}, std::uint64_t{70}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
            auto table = good_table;
            table[index] = value;
            EXPECT_EQ(refused(words(table) + good_parts), errc::bad_offsets) << index << " " << value;
        }
}

TEST(websocket_v1, counts_the_parts_first) {
    auto with_count = [](std::uint64_t count) {
        auto table = good_table;
        table[0] = count;
        return refused(words(table) + good_parts);
    };
    for (std::uint64_t count : {0, 1, 5, 7, 8, 4096}) EXPECT_EQ(with_count(count), errc::bad_offsets) << count;
    for (std::uint64_t count : {std::uint64_t{4097}, std::uint64_t{1} << 61, ~std::uint64_t{0}})
        EXPECT_EQ(with_count(count), errc::too_large) << count;
}

TEST(websocket_v1, refuses_an_unknown_channel) {
    EXPECT_EQ(refused(words(good_table) + "shelf{}{}{}{}"), errc::bad_channel);
}

}  // namespace
}  // namespace messaging
