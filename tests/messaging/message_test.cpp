#include "messaging/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace messaging {
namespace {

TEST(channel, has_the_names_of_the_protocol) {
    for (auto each : {channel::shell, channel::control, channel::stdin_channel, channel::iopub})
        EXPECT_EQ(find_channel(to_string(each)), each);
    EXPECT_EQ(to_string(channel::stdin_channel), "stdin");
    EXPECT_FALSE(find_channel("hb"));
    EXPECT_FALSE(find_channel(""));
}

TEST(message, costs_the_bytes_of_all_its_parts) {
    message all;
    all.identities = {"12", "3"};
    all.header = "1234";
    all.parent_header = "{}";
    all.metadata = "{}";
    all.content = "12345";
    all.buffers = {"", "123"};
    EXPECT_EQ(all.size(), 3u + 4 + 2 + 2 + 5 + 3);
}

TEST(parse_header, reads_the_fields_it_knows_and_skips_the_rest) {
    auto fields = parse_header(R"({"msg_id":"a","msg_type":"execute_request","session":"s","username":"u","date":"d",)"
                               R"("version":"5.3","subshell_id":"x","extra":{"msg_id":"no"}})");
    ASSERT_TRUE(fields);
    EXPECT_EQ(*fields, (header_fields{"a", "execute_request", "s", "x"}));
}

TEST(parse_header, gives_empty_fields_for_what_is_absent_or_null) {
    EXPECT_EQ(parse_header("{}").value(), header_fields{});
    EXPECT_EQ(parse_header(R"({"subshell_id":null,"msg_id":null})").value(), header_fields{});
}

TEST(parse_header, takes_the_last_of_repeated_keys_however_they_are_escaped) {
    EXPECT_EQ(parse_header(R"({"msg_id":"1","msg\u005fid":"2"})").value().msg_id, "2");
    EXPECT_EQ(parse_header(R"({"msg_id":"1","msg_id":null})").value().msg_id, "");
}

TEST(parse_header, refuses_wrong_types_and_wrong_texts) {
    for (const char* text : {"", "[]", "null", "{\"msg_id\":1}", "{\"msg_id\":[]}", "{\"session\":{}}",
                             "{\"msg_id\":\"a\"", "{}}", "{\"msg_id\":\"a\",}"})
        EXPECT_EQ(parse_header(text).error(), errc::bad_json) << text;
}

TEST(parse_header, takes_the_date_that_jupyter_servers_gateway_client_writes) {
    auto fields = parse_header(R"({"msg_id":"a","date":1764440000.25})");
    ASSERT_TRUE(fields);
    EXPECT_EQ(fields->msg_id, "a");
}

TEST(parse_header, refuses_more_than_64_kib) {
    std::string padding(64 * 1024 - 8, ' ');
    EXPECT_TRUE(parse_header("{" + padding + "}"));
    EXPECT_EQ(parse_header("{" + padding + std::string(8, ' ') + "}").error(), errc::too_large);
}

TEST(parse_header, always_gives_valid_utf8) {
    EXPECT_EQ(parse_header("{\"session\":\"\xFFx\"}").value().session, "\uFFFDx");
}

TEST(make_header, is_json_with_all_fields_even_for_odd_text) {
    auto header = nlohmann::json::parse(make_header("status", "s\"\n", "", "b\xFF"));
    EXPECT_EQ(header["msg_type"], "status");
    EXPECT_EQ(header["session"], "s\"\n");
    EXPECT_EQ(header["username"], "b\uFFFD");
    EXPECT_EQ(header["version"], "5.3");
    EXPECT_THAT(header["msg_id"].get<std::string>(), testing::SizeIs(36));
    EXPECT_THAT(header["date"].get<std::string>(),
                testing::MatchesRegex("[0-9]+-[0-9][0-9]-[0-9][0-9]T[0-9:]+\\.[0-9][0-9][0-9][0-9][0-9][0-9]Z"));
}

TEST(make_header, says_the_version_that_it_is_given) {
    auto header = nlohmann::json::parse(make_header("status", "s", "m", "u", "5.5"));
    EXPECT_EQ(header["version"], "5.5");
    EXPECT_EQ(header["msg_id"], "m");
}

TEST(make_message, keeps_the_parent_header_and_the_given_content) {
    auto made = make_message(channel::iopub, "status", "s", R"({"execution_state":"dead"})", R"({"msg_id":"p"})");
    EXPECT_EQ(made.where, channel::iopub);
    EXPECT_EQ(made.parent_header, R"({"msg_id":"p"})");
    EXPECT_EQ(made.metadata, "{}");
    EXPECT_EQ(made.content, R"({"execution_state":"dead"})");
    EXPECT_EQ(parse_header(made.header).value().msg_type, "status");
}

TEST(make_id, gives_a_version_4_uuid_that_is_new_each_time) {
    std::set<std::string> seen;
    for (int count = 0; count < 1000; ++count) seen.insert(make_id());
    EXPECT_EQ(seen.size(), 1000u);
    std::string id = *seen.begin();
    EXPECT_EQ(id.size(), 36u);
    EXPECT_EQ(id[14], '4');
    EXPECT_THAT(std::string("89ab"), testing::HasSubstr(std::string(1, id[19])));
}

TEST(error, says_what_it_means) {
    boost::system::error_code code = errc::bad_signature;
    EXPECT_STREQ(code.category().name(), "messaging");
    EXPECT_THAT(code.message(), testing::HasSubstr("key"));
    EXPECT_FALSE(boost::system::error_code(errc::ok));
    EXPECT_THAT(category().message(999), testing::HasSubstr("unknown"));
}

}  // namespace
}  // namespace messaging
