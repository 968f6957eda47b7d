#include "messaging/wire.hpp"

#include <gtest/gtest.h>

namespace messaging {
namespace {

struct wire : testing::Test {
    signer sender = signer::make("key").value();
    signer receiver = signer::make("key").value();

    static message sample() {
        message each = make_message(channel::shell, "execute_request", "s", R"({"code":"1"})");
        each.identities = {"route", std::string("\0\x01", 2)};
        each.buffers = {"", std::string("\xFF\0\xFE", 3)};
        return each;
    }
    errc refused(frames parts) {
        auto decoded = decode_wire(std::move(parts), channel::shell, receiver);
        return decoded ? errc::ok : static_cast<errc>(decoded.error().value());
    }
};

TEST_F(wire, gives_back_what_was_encoded) {
    auto decoded = decode_wire(encode_wire(sample(), sender), channel::shell, receiver);
    auto expected = sample();
    ASSERT_TRUE(decoded) << decoded.error().message();
    expected.header = decoded->header;
    EXPECT_EQ(*decoded, expected);
}

TEST_F(wire, puts_the_frames_in_the_order_of_the_specification) {
    auto each = sample();
    auto parts = encode_wire(each, sender);
    ASSERT_EQ(parts.size(), 10u);
    EXPECT_EQ(parts[2], "<IDS|MSG>");
    EXPECT_EQ(parts[3], sender.sign({each.header, "{}", "{}", each.content}));
    EXPECT_EQ(parts[4], each.header);
    EXPECT_EQ(parts[7], each.content);
    EXPECT_EQ(parts[9], each.buffers[1]);
}

TEST_F(wire, takes_a_message_without_identities) {
    auto each = sample();
    each.identities.clear();
    auto decoded = decode_wire(encode_wire(each, sender), channel::iopub, receiver);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->where, channel::iopub);
    EXPECT_TRUE(decoded->identities.empty());
}

TEST_F(wire, refuses_too_few_frames) {
    auto parts = encode_wire(sample(), sender);
    EXPECT_EQ(refused({}), errc::no_delimiter);
    EXPECT_EQ(refused({"a", "b"}), errc::no_delimiter);
    for (std::size_t count = 3; count < 8; ++count)
        EXPECT_EQ(refused(frames(parts.begin(), parts.begin() + static_cast<long>(count))), errc::too_few_frames)
            << count;
}

TEST_F(wire, counts_the_frames_first) { EXPECT_EQ(refused(frames(max_frames + 1, "<IDS|MSG>")), errc::too_large); }

TEST_F(wire, refuses_a_change_of_any_signed_part) {
    for (std::size_t part = 3; part < 8; ++part) {
        auto parts = encode_wire(sample(), sender);
        parts[part] += " ";
        EXPECT_EQ(refused(parts), errc::bad_signature) << part;
    }
}

TEST_F(wire, refuses_a_repeated_message) {
    auto parts = encode_wire(sample(), sender);
    EXPECT_EQ(refused(parts), errc::ok);
    EXPECT_EQ(refused(parts), errc::duplicate_signature);
}

TEST_F(wire, leaves_content_alone_whatever_it_is) {
    auto each = sample();
    each.content = "not json \xFF";
    auto decoded = decode_wire(encode_wire(each, sender), channel::shell, receiver);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->content, each.content);
}

}  // namespace
}  // namespace messaging
