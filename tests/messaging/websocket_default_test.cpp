#include "messaging/websocket_default.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "messaging/utf8.hpp"
#include "messaging/wire.hpp"

namespace messaging {
namespace {

message sample() {
    message each;
    each.where = channel::iopub;
    each.header = R"({"msg_id":"i\"d","msg_type":"stream"})";
    each.parent_header = R"({"msg_id":"p"})";
    each.metadata = R"({"m": 1})";
    each.content = R"({"name":"stdout", "text":"a\nb"})";
    return each;
}

std::string big_endian(std::initializer_list<std::uint32_t> words) {
    std::string bytes;
    for (auto each : words)
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(each >> shift);
    return bytes;
}

errc refused(std::string_view bytes, bool binary = false) {
    auto decoded = decode_default(bytes, binary);
    return decoded ? errc::ok : static_cast<errc>(decoded.error().value());
}

TEST(encode_default, is_text_with_the_raw_parts_and_the_repeated_ids) {
    auto frame = encode_default(sample());
    EXPECT_FALSE(frame.binary);
    EXPECT_EQ(
        frame.bytes,
        R"({"header":{"msg_id":"i\"d","msg_type":"stream"},"parent_header":{"msg_id":"p"},"metadata":{"m": 1},)"
        R"("content":{"name":"stdout", "text":"a\nb"},"channel":"iopub","buffers":[],"msg_id":"i\"d","msg_type":"stream"})");
}

TEST(encode_default, is_still_json_when_parts_or_ids_are_missing) {
    message bare;
    bare.header = "{}";
    bare.parent_header = bare.metadata = bare.content = "";
    auto parsed = nlohmann::json::parse(encode_default(bare).bytes);
    EXPECT_EQ(parsed["msg_id"], "");
    EXPECT_EQ(parsed["content"], nlohmann::json::object());
}

TEST(encode_default, puts_buffers_behind_big_endian_offsets) {
    auto each = sample();
    each.buffers = {"", std::string("\xFF\xFE\0", 3)};
    auto frame = encode_default(each);
    ASSERT_TRUE(frame.binary);
    auto json_size = static_cast<std::uint32_t>(frame.bytes.size() - 16 - 3);
    EXPECT_EQ(frame.bytes.substr(0, 16), big_endian({3, 16, 16 + json_size, 16 + json_size}));
    EXPECT_EQ(frame.bytes.substr(16 + json_size), each.buffers[1]);
    EXPECT_FALSE(nlohmann::json::parse(frame.bytes.substr(16, json_size)).contains("buffers"));
}

TEST(encode_default, leaves_the_buffers_out_for_clients_that_read_text_only) {
    auto each = sample();
    each.buffers = {"x"};
    auto frame = encode_default_without_buffers(each);
    EXPECT_FALSE(frame.binary);
    EXPECT_EQ(frame.bytes, encode_default(sample()).bytes);
}

TEST(encode_default, never_sends_ill_formed_utf8) {
    auto each = sample();
    each.content = "{\"text\":\"a\xFF\xC3(\"}";
    auto frame = encode_default(each);
    EXPECT_TRUE(is_utf8(frame.bytes));
    EXPECT_EQ(nlohmann::json::parse(frame.bytes)["content"]["text"], "a\uFFFD\uFFFD(");
    each.buffers = {"\xFF"};
    auto binary = encode_default(each);
    EXPECT_EQ(decode_default(binary.bytes, true).value().content, "{\"text\":\"a\uFFFD\uFFFD(\"}");
    EXPECT_EQ(decode_default(binary.bytes, true).value().buffers, each.buffers);
}

TEST(decode_default, gives_back_what_was_encoded) {
    auto each = sample();
    EXPECT_EQ(decode_default(encode_default(each).bytes, false).value(), each);
    each.buffers = {"", "abc", std::string(70'000, '\xFE'), ""};
    EXPECT_EQ(decode_default(encode_default(each).bytes, true).value(), each);
}

TEST(decode_default, keeps_content_verbatim) {
    auto decoded = decode_default(R"( {"content" : { "code" : "\udc80\u00e9", "x":1.0E+2 } , "header":{ }} )", false);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->content, R"({ "code" : "\udc80\u00e9", "x":1.0E+2 })");
    EXPECT_EQ(decoded->header, "{ }");
}

TEST(decode_default, fills_in_what_clients_leave_out) {
    for (const char* text :
         {R"({"header":{"msg_id":"1"}})", R"({"header":{"msg_id":"1"},"buffers":{}})",
          R"({"header":{"msg_id":"1"},"buffers":[ ],"parent_header":null,"metadata":null,"content":null})",
          R"({"header":{"msg_id":"1"},"channel":null,"buffers":null,"msg_id":7})"}) {
        auto decoded = decode_default(text, false);
        ASSERT_TRUE(decoded) << text;
        EXPECT_EQ(decoded->where, channel::shell);
        EXPECT_EQ(decoded->parent_header + decoded->metadata + decoded->content, "{}{}{}");
    }
}

TEST(decode_default, takes_the_last_of_repeated_members) {
    auto decoded =
        decode_default(R"({"header":{"a":1},"channel":"shell","header":{"a":2},"chann\u0065l":"control"})", false);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->header, R"({"a":2})");
    EXPECT_EQ(decoded->where, channel::control);
}

TEST(decode_default, refuses_hostile_text) {
    for (const char* text :
         {"", "{}", "[]", "null", "{\"header\":{}", "{\"header\":[]}", "{\"header\":\"{}\"}",
          "{\"header\":{},\"content\":[]}", "{\"header\":{},\"content\":1}", "{\"header\":{},\"metadata\":\"\"}",
          "{\"header\":{}}x", "{\"header\":{},\"content\":{]}", "{\"header\":{},\"buffers\":[\"x\"]}",
          "{\"header\":{},\"buffers\":{\"a\":1}}", "{\"header\":{},\"buffers\":\"\"}"})
        EXPECT_EQ(refused(text), errc::bad_json) << text;
    for (const char* text :
         {R"({"header":{},"channel":"hb"})", R"({"header":{},"channel":1})", R"({"header":{},"channel":""})"})
        EXPECT_EQ(refused(text), errc::bad_channel) << text;
    EXPECT_EQ(refused("{\"header\":{},\"content\":" + std::string(1'000'000, '[')), errc::bad_json);
}

TEST(decode_default, refuses_hostile_offsets_before_it_touches_a_byte) {
    const std::string json = R"({"header":{}})";
    auto size = static_cast<std::uint32_t>(json.size());
    const std::vector<std::string> bad = {
        "",
        "abc",
        big_endian({0}),
        big_endian({1, 8}) + json,                         // no buffer
        big_endian({2}),                                   // no table
        big_endian({2, 12}),                               // half a table
        big_endian({2, 0, 12 + size}) + json,              // starts before its table's end
        big_endian({2, 13, 12 + size}) + json,             // leaves a gap
        big_endian({2, 12, 11}) + json,                    // goes back
        big_endian({2, 12, 12 + size + 1}) + json,         // past the end
        big_endian({2, 12, 0xFFFFFFFF}) + json,            //
        big_endian({3, 16, 16 + size, 15 + size}) + json,  // goes back later
        big_endian({max_frames, 12, 12 + size}) + json,    // more parts than bytes
    };
    for (const auto& each : bad) EXPECT_EQ(refused(each, true), errc::bad_offsets) << testing::PrintToString(each);
    EXPECT_EQ(refused(big_endian({0xFFFFFFFF, 12, 12 + size}) + json, true), errc::too_large);
    EXPECT_EQ(refused(big_endian({0x40000000, 12, 12 + size}) + json, true), errc::too_large);
    EXPECT_EQ(refused(big_endian({2, 12, 12}) + json, true), errc::bad_json);
    EXPECT_EQ(refused(big_endian({2, 12, 12 + size}) + json, true), errc::ok);
}

TEST(decode_default, passes_64_mib_both_ways) {
    auto each = sample();
    each.content = "{\"text\":\"" + std::string(64u << 20, 'x') + "\"}";
    EXPECT_EQ(decode_default(encode_default(each).bytes, false).value().content.size(), each.content.size());
}

}  // namespace
}  // namespace messaging
