#include "gateway/api/jupyter/framing.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "messaging/websocket_v1.hpp"

namespace gateway::api::jupyter {
namespace {

const std::string v1(messaging::v1_subprotocol);

messaging::message with_buffers() {
    auto made = messaging::make_message(messaging::channel::iopub, "comm_open", "s", R"({"comm_id":"c"})");
    made.buffers = {std::string("\xff\xfe\0", 3), "", std::string(70'000, 'b')};
    return made;
}

std::string whole_of(const outgoing_frame& frame) {
    auto whole = frame.bytes;
    for (auto each : frame.borrowed) whole += each;
    EXPECT_EQ(frame.size(), whole.size());
    return whole;
}

TEST(framing, chooses_v1_exactly_when_it_is_offered) {
    EXPECT_EQ(choose_subprotocol({"other", v1}), v1);
    EXPECT_EQ(choose_subprotocol({"other"}), "");
    EXPECT_EQ(choose_subprotocol({}), "");
}

TEST(framing, keeps_binary_frames_from_a_tornado_client_without_a_subprotocol) {
    EXPECT_EQ(choose_framing(v1, "Tornado/6.4", false), framing::v1);
    EXPECT_EQ(choose_framing("", "Tornado/6.4", false), framing::plain_without_buffers);
    EXPECT_EQ(choose_framing("", "Tornado/6.4", true), framing::plain);
    EXPECT_EQ(choose_framing("", "Mozilla/5.0", false), framing::plain);
    EXPECT_EQ(choose_framing("", "", false), framing::plain);
}

TEST(framing, carries_buffers_exactly_in_both_forms) {
    auto sent = with_buffers();
    for (auto form : {framing::v1, framing::plain}) {
        auto frame = encode(form, sent);
        EXPECT_TRUE(frame.binary);
        auto back = decode(form, whole_of(frame), frame.binary);
        ASSERT_TRUE(back);
        EXPECT_EQ(back->buffers, sent.buffers);
        EXPECT_EQ(nlohmann::json::parse(back->content), nlohmann::json::parse(sent.content));
    }
}

TEST(framing, borrows_the_parts_of_a_large_message_and_no_others) {
    auto sent = with_buffers();
    sent.buffers = {"few", ""};
    EXPECT_TRUE(encode(framing::v1, sent).borrowed.empty());
    sent.content = "\"" + std::string(100'000, 'x') + "\"";
    auto frame = encode(framing::v1, sent);
    EXPECT_LT(frame.bytes.size(), 200U);
    EXPECT_EQ(frame.borrowed[3].data(), sent.content.data());
    EXPECT_EQ(whole_of(frame), messaging::encode_v1(sent));
}

TEST(framing, sends_text_without_buffers_to_who_cannot_read_binary) {
    auto frame = encode(framing::plain_without_buffers, with_buffers());
    EXPECT_FALSE(frame.binary);
    EXPECT_EQ(nlohmann::json::parse(frame.bytes)["content"]["comm_id"], "c");
}

TEST(framing, says_what_is_wrong_with_a_frame) {
    EXPECT_NE(decode(framing::v1, "{}", false).error().message.find("binary frames only"), std::string::npos);
    EXPECT_FALSE(decode(framing::v1, "short", true));
    EXPECT_FALSE(decode(framing::plain, "{not json", false));
    EXPECT_EQ(decode(framing::plain, "[]", false).error().code, errc::invalid_request);
}

}  // namespace
}  // namespace gateway::api::jupyter
