#include "messaging/zmtp_decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/zmtp_feed.hpp"

namespace messaging {
namespace {

using namespace std::string_literals;

const std::string router_ready = "\x04\x1C\x05READY\x0BSocket-Type\0\0\0\x06ROUTER"s;

std::string opened() { return zmtp_greeting() + router_ready; }

std::string encode(const frames& parts) {
    std::vector<std::string_view> views(parts.begin(), parts.end());
    return encode_zmtp(views);
}

std::string long_header(unsigned char flags, std::uint64_t size) {
    std::string header(1, static_cast<char>(flags | zmtp_long));
    for (int byte = 7; byte >= 0; --byte) header += static_cast<char>(size >> (8 * byte));
    return header;
}

// What came, in one word each: "greeted ready message(a,b) ping(x) refused failed".
struct reading {
    std::string told;
    frames last;
    errc error = errc::ok;
};

void note(reading& into, const zmtp_event& event) {
    static const char* const names[] = {"", "greeted", "ready", "message", "ping", "refused", "failed"};
    into.told += (into.told.empty() ? "" : " ") + std::string(names[event.what]);
    if (event.what == zmtp_event::ping) into.told += "(" + event.context + ")";
    if (event.what == zmtp_event::message) into.last = event.parts;
    if (event.error) into.error = static_cast<errc>(event.error.value());
}

// `bytes` in pieces of at most `piece`; like the stream, into the frame itself where there is room.
reading read(zmtp_decoder& decoder, std::string_view bytes, std::size_t piece) {
    reading all;
    do {
        auto rest = test_support::take_piece(decoder, bytes, piece);
        for (;;) {
            auto event = decoder.next(rest);
            if (event.what == zmtp_event::needs_more) break;
            note(all, event);
            if (event.what == zmtp_event::failed) return all;
        }
        EXPECT_TRUE(rest.empty());
    } while (!bytes.empty());
    return all;
}

reading read(std::string_view bytes, std::size_t piece = 1 << 20, zmtp_limits limits = {}) {
    zmtp_decoder decoder(zmtp_role::dealer, limits);
    return read(decoder, bytes, piece);
}

struct stream_case {
    const char* name;
    std::string bytes;
    std::string expected;
    errc error = errc::ok;
    zmtp_limits limits = {};
};

void PrintTo(const stream_case& each, std::ostream* to) { *to << each.name; }

const zmtp_limits three_frames_or_ten_bytes{3, 10};

const std::vector<stream_case> streams = {
    {"nothing", "", ""},
    {"an_opening", opened(), "greeted ready"},
    {"a_message", opened() + encode({"a", "", "b"}), "greeted ready message"},
    {"an_empty_frame", opened() + encode({""}), "greeted ready message"},
    {"a_long_frame", opened() + encode({std::string(300, 'x')}), "greeted ready message"},
    {"a_short_frame_of_the_long_form", opened() + long_header(0, 1) + "x", "greeted ready message"},
    {"a_newer_greeting", "\xFF\0\0\0\0\0\0\0\x01\x7F\x03\x01NULL"s + std::string(48, '\0') + router_ready,
     "greeted ready"},
    {"a_ping", opened() + "\x04\x0A\x04PING\0\x0A"s + "abc", "greeted ready ping(abc)"},
    {"a_ping_inside_a_message", opened() + "\x01\x01"s + "a" + "\x04\x07\x04PING\0\x0A"s + "\0\x01"s + "b",
     "greeted ready ping() message"},
    {"commands_it_does_not_know", opened() + "\x04\x04\x03XYZ"s + "\x04\x05\x04PONG"s + encode({"a"}),
     "greeted ready message"},
    {"a_command_before_ready", zmtp_greeting() + "\x04\x04\x03XYZ"s + router_ready, "greeted ready"},
    {"http", "HTTP/1.1 400 Bad Request\r\n\r\n", "failed", errc::not_zmtp},
    {"version_2", "\xFF\0\0\0\0\0\0\0\x01\x7F\x01\x05"s, "failed", errc::not_zmtp},
    {"another_mechanism", "\xFF\0\0\0\0\0\0\0\0\x7F\x03\0CURVE"s, "failed", errc::wrong_mechanism},
    {"a_longer_name_of_a_mechanism", "\xFF\0\0\0\0\0\0\0\0\x7F\x03\0NULLS"s, "failed", errc::wrong_mechanism},
    {"the_wrong_socket", zmtp_greeting() + "\x04\x19\x05READY\x0BSocket-Type\0\0\0\x03PUB"s, "greeted failed",
     errc::wrong_peer},
    {"a_message_before_ready", zmtp_greeting() + encode({"a"}), "greeted failed", errc::bad_frame},
    {"ready_twice", opened() + router_ready, "greeted ready failed", errc::bad_frame},
    {"an_error", zmtp_greeting() + "\x04\x0A\x05" + "ERROR\x03no!", "greeted failed", errc::refused_by_peer},
    {"reserved_flags", opened() + "\x08\x01x", "greeted ready failed", errc::bad_frame},
    {"a_command_of_many_frames", opened() + "\x05\x04\x03XYZ"s, "greeted ready failed", errc::bad_frame},
    {"a_command_without_a_name", opened() + "\x04\0"s, "greeted ready failed", errc::bad_frame},
    {"a_command_shorter_than_its_name", opened() + "\x04\x02\x05R"s, "greeted ready failed", errc::bad_frame},
    {"a_ping_without_its_time", opened() + "\x04\x05\x04PING"s, "greeted ready failed", errc::bad_frame},
    {"a_huge_command", opened() + long_header(zmtp_command, 1 << 20), "greeted ready failed", errc::bad_frame},
    {"a_frame_of_2_to_the_63_bytes", opened() + long_header(0, 1ull << 63), "greeted ready failed", errc::bad_frame},
    {"a_frame_of_almost_that", opened() + long_header(0, (1ull << 63) - 1) + "x", "greeted ready refused",
     errc::too_large},
    {"as_many_frames_as_it_may", opened() + encode({"a", "b", "c"}), "greeted ready message", errc::ok,
     three_frames_or_ten_bytes},
    {"a_frame_too_many_and_another_message", opened() + encode({"a", "b", "c", "d", "e"}) + encode({"f"}),
     "greeted ready refused message", errc::too_large, three_frames_or_ten_bytes},
    {"as_many_bytes_as_it_may", opened() + encode({"12345", "67890"}), "greeted ready message", errc::ok,
     three_frames_or_ten_bytes},
    {"a_byte_too_many_and_another_message", opened() + encode({"12345", "678901"}) + encode({"1234567890"}),
     "greeted ready refused message", errc::too_large, three_frames_or_ten_bytes},
};

class zmtp_decoder_test : public testing::TestWithParam<stream_case> {};

TEST_P(zmtp_decoder_test, tells_the_same_for_pieces_of_every_size) {
    const auto& each = GetParam();
    for (std::size_t piece : {1u, 2u, 3u, 7u, 64u, 65u, 1u << 20}) {
        auto found = read(each.bytes, piece, each.limits);
        EXPECT_EQ(found.told, each.expected) << "in pieces of " << piece;
        EXPECT_EQ(found.error, each.error) << "in pieces of " << piece;
    }
}

INSTANTIATE_TEST_SUITE_P(of, zmtp_decoder_test, testing::ValuesIn(streams),
                         [](const auto& each) { return each.param.name; });

TEST(zmtp_decoder, gives_the_frames_as_they_were_sent) {
    frames parts = {"topic",
                    "",
                    std::string(255, 'a'),
                    std::string(256, 'b'),
                    std::string(1'000'000, 'c'),
                    std::string("\0\xFF", 2),
                    std::string(zmtp_decoder::direct_bytes, 'd')};
    for (std::size_t piece : {1u, 1000u, 65'536u, 300'000u, 4u << 20})
        EXPECT_EQ(read(opened() + encode(parts), piece).last, parts) << "in pieces of " << piece;
}

TEST(zmtp_decoder, offers_the_rest_of_a_large_frame_as_room_and_no_more_than_a_piece) {
    zmtp_decoder decoder(zmtp_role::dealer);
    read(decoder, opened() + long_header(0, 100'000'000) + "x", 1 << 20);
    EXPECT_GE(decoder.direct().size(), zmtp_decoder::direct_bytes);
    EXPECT_LE(decoder.direct().size(), 1u << 20);
}

TEST(zmtp_decoder, has_no_room_between_frames_nor_for_what_it_skips) {
    zmtp_decoder decoder(zmtp_role::dealer, {3, 10});
    EXPECT_TRUE(decoder.direct().empty());
    read(decoder, opened(), 1 << 20);
    EXPECT_TRUE(decoder.direct().empty());
    read(decoder, long_header(0, 1ull << 62), 1 << 20);
    EXPECT_TRUE(decoder.direct().empty());
}

TEST(zmtp_decoder, repeats_why_it_failed) {
    zmtp_decoder decoder(zmtp_role::dealer);
    EXPECT_EQ(read(decoder, "x", 1).error, errc::not_zmtp);
    EXPECT_EQ(read(decoder, opened(), 1).error, errc::not_zmtp);
}

}  // namespace
}  // namespace messaging
