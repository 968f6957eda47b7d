#include "messaging/zmtp.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace messaging {
namespace {

using namespace std::string_literals;

TEST(zmtp, greets_as_a_client_of_version_3_0_without_security) {
    EXPECT_EQ(zmtp_greeting(), "\xFF\0\0\0\0\0\0\0\0\x7F\x03\0NULL"s + std::string(48, '\0'));
}

TEST(zmtp, tells_its_kind_of_socket_and_its_identity) {
    EXPECT_EQ(zmtp_ready(zmtp_role::dealer, "me"),
              "\x04\x2B\x05READY\x0BSocket-Type\0\0\0\x06"
              "DEALER\x08Identity\0\0\0\x02me"s);
    EXPECT_EQ(zmtp_ready(zmtp_role::subscriber, "me"), "\x04\x19\x05READY\x0BSocket-Type\0\0\0\x03SUB"s);
    EXPECT_EQ(zmtp_ready(zmtp_role::requester, ""),
              "\x04\x26\x05READY\x0BSocket-Type\0\0\0\x03REQ\x08Identity\0\0\0\0"s);
}

TEST(zmtp, subscribes_to_everything_by_a_message) { EXPECT_EQ(zmtp_subscription(), "\0\x01\x01"s); }

TEST(zmtp, answers_a_ping_with_its_context) { EXPECT_EQ(zmtp_pong("abc"), "\x04\x08\x04PONGabc"s); }

TEST(zmtp, gives_each_frame_the_shortest_length) {
    std::string short_one(255, 's'), long_one(256, 'l');
    std::vector<std::string_view> parts = {"", short_one, long_one};
    EXPECT_EQ(encode_zmtp(parts), "\x01\0\x01\xFF"s + short_one + "\x02\0\0\0\0\0\0\x01\0"s + long_one);
}

struct ready_case {
    const char* name;
    zmtp_role role;
    std::string metadata;
    errc expected;
};

class zmtp_ready_test : public testing::TestWithParam<ready_case> {};

TEST_P(zmtp_ready_test, is_judged) {
    auto fits = check_zmtp_ready(GetParam().role, GetParam().metadata);
    EXPECT_EQ(fits ? errc::ok : static_cast<errc>(fits.error().value()), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    with, zmtp_ready_test,
    testing::Values(
        ready_case{"nothing", zmtp_role::dealer, "", errc::ok},
        ready_case{"a_router", zmtp_role::dealer, "\x0BSocket-Type\0\0\0\x06ROUTER"s, errc::ok},
        ready_case{"a_name_in_other_letters", zmtp_role::dealer, "\x0Bsocket-TYPE\0\0\0\x03PUB"s, errc::wrong_peer},
        ready_case{"a_publisher_for_a_subscriber", zmtp_role::subscriber, "\x0BSocket-Type\0\0\0\x04XPUB"s, errc::ok},
        ready_case{"a_router_for_a_subscriber", zmtp_role::subscriber, "\x0BSocket-Type\0\0\0\x06ROUTER"s,
                   errc::wrong_peer},
        ready_case{"an_empty_kind", zmtp_role::dealer, "\x0BSocket-Type\0\0\0\0"s, errc::wrong_peer},
        ready_case{"other_properties", zmtp_role::requester, "\x01X\0\0\0\x01y\x0BSocket-Type\0\0\0\x03REP"s, errc::ok},
        ready_case{"a_name_that_ends_early", zmtp_role::dealer, "\x0BSocket"s, errc::bad_frame},
        ready_case{"no_length_of_the_value", zmtp_role::dealer, "\x01X\0\0"s, errc::bad_frame},
        ready_case{"a_value_that_ends_early", zmtp_role::dealer, "\x01X\xFF\xFF\xFF\xFFy"s, errc::bad_frame}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace messaging
