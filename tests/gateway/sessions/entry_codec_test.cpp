#include "gateway/sessions/entry_codec.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/sessions/log_fixture.hpp"

namespace gateway::sessions {
namespace {

std::string record_of(const entry& from) {
    record_bytes bytes;
    encode_record(from, bytes);
    std::string record;
    for (auto piece : bytes.pieces()) record += piece;
    EXPECT_EQ(record.size(), bytes.size());
    return record;
}

std::string payload_of(const entry& from) {
    auto record = record_of(from);
    EXPECT_EQ(decode_record_length(record), record.size() - record_header_bytes);
    return record.substr(record_header_bytes);
}

entry full_entry() {
    entry made;
    made.seq = made.first_seq = 70'000;
    made.time = wall_clock::time_point(std::chrono::milliseconds(1'764'427'890'270));
    made.client = "client";
    made.cell_id = "cell_1";
    made.type = "display_data";
    made.parent = "parent";
    messaging::message message;
    message.where = messaging::channel::stdin_channel;
    message.identities = {std::string("\0id", 3), ""};
    message.header = R"({"msg_id":"1"})";
    message.parent_header = R"({"msg_id":"0"})";
    message.metadata = R"({"a":1})";
    message.content = std::string(300, 'c');
    message.buffers = {std::string("\xff\x00", 2), "", std::string(70'000, 'b')};
    made.message = std::make_shared<const messaging::message>(std::move(message));
    return made;
}

TEST(entry_codec, gives_back_every_field_of_a_message) {
    auto before = full_entry();
    auto after = decode_payload(payload_of(before));
    ASSERT_TRUE(after);
    EXPECT_EQ(after->seq, before.seq);
    EXPECT_EQ(after->first_seq, before.seq);
    EXPECT_EQ(after->kind, before.kind);
    EXPECT_EQ(after->time, before.time);
    EXPECT_EQ(after->client, before.client);
    EXPECT_EQ(after->cell_id, before.cell_id);
    EXPECT_EQ(after->type, before.type);
    EXPECT_EQ(after->parent, before.parent);
    EXPECT_EQ(*after->message, *before.message);
}

TEST(entry_codec, gives_back_an_event) {
    auto before = event_entry("cell_queued", 5);
    before.seq = 1;
    auto after = decode_payload(payload_of(before));
    ASSERT_TRUE(after);
    EXPECT_EQ(after->kind, entry_kind::event);
    EXPECT_EQ(after->body, before.body);
    EXPECT_EQ(after->message, nullptr);
}

TEST(entry_codec, writes_the_bytes_that_its_header_shows) {
    entry example;
    example.kind = entry_kind::event;
    example.seq = 300;
    example.time = wall_clock::time_point(std::chrono::nanoseconds(1));
    example.cell_id = "c";
    example.type = "t";
    example.body = "{}";
    EXPECT_EQ(record_of(example),
              std::string("\x0e\0\0\0\0\0\0\0\xac\x02\x01\x01\0\x01\x63\x01\x74\0\x02\x7b\x7d\0", 22));
}

TEST(entry_codec, refuses_every_shortened_record) {
    auto payload = payload_of(full_entry());
    for (std::size_t size = 0; size < 500; ++size) EXPECT_FALSE(decode_payload(payload.substr(0, size))) << size;
    EXPECT_FALSE(decode_payload(payload.substr(0, payload.size() - 1)));
}

TEST(entry_codec, refuses_bytes_behind_the_entry) { EXPECT_FALSE(decode_payload(payload_of(full_entry()) + "x")); }

TEST(entry_codec, refuses_a_count_that_the_bytes_cannot_hold) {
    // seq, kind message, time, five empty texts, has_message, channel iopub, then 2^63 identities.
    std::string payload("\x01\x00\x00\0\0\0\0\0\x01\x03\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 19);
    EXPECT_FALSE(decode_payload(payload));
}

}  // namespace
}  // namespace gateway::sessions
