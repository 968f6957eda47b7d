#include "gateway/tools/event_stream.hpp"

#include <gtest/gtest.h>

#include "gateway/tools/http_status.hpp"

namespace gateway::tools {
namespace {

using events = std::vector<server_event>;

TEST(event_stream, reads_events_of_every_line_ending) {
    for (std::string end : {"\n", "\r\n", "\r"}) {
        event_stream stream(1000);
        auto text = "event: message" + end + "data: {\"a\":" + end + "data: 1}" + end + end + ": ping" + end + end +
                    "data:x" + end + end;
        EXPECT_EQ(*stream.feed(text + " "), (events{{"message", "{\"a\":\n1}"}, {"message", "x"}})) << end.size();
    }
}

TEST(event_stream, reads_the_same_byte_by_byte) {
    event_stream stream(1000);
    events found;
    for (char each : std::string("\xef\xbb\xbf"
                                 "data: one\r\n\r\nevent: other\ndata: two\n\n"))
        for (auto& one : *stream.feed(std::string_view(&each, 1))) found.push_back(one);
    EXPECT_EQ(found, (events{{"message", "one"}, {"other", "two"}}));
}

TEST(event_stream, keeps_the_last_id_and_the_servers_pause) {
    event_stream stream(1000);
    EXPECT_TRUE(stream.feed("id: 7\nretry: 250\ndata\n\n")->size() == 1);
    EXPECT_EQ(stream.last_id(), "7");
    EXPECT_EQ(stream.retry(), std::chrono::milliseconds(250));
    EXPECT_TRUE(stream.feed("id: 8\nretry: soon\n")->empty());
    EXPECT_EQ(stream.last_id(), "7");  // not until the event is whole
    EXPECT_EQ(stream.retry(), std::chrono::milliseconds(250));
}

TEST(event_stream, an_event_without_data_is_none) {
    event_stream stream(1000);
    EXPECT_TRUE(stream.feed("event: ping\n\n\n\n:\n")->empty());
}

TEST(event_stream, an_event_over_the_limit_ends_it) {
    event_stream stream(10);
    EXPECT_TRUE(stream.feed("data: 1234\n\n"));
    auto read = stream.feed("data: 12345\ndata: 6789012\n\n");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, errc::too_large);
    event_stream endless(10);
    EXPECT_FALSE(endless.feed("data: 123456789012345"));
}

TEST(is_session_gone, tells_an_expired_session_from_other_errors) {
    EXPECT_TRUE(is_session_gone(404, ""));
    EXPECT_TRUE(is_session_gone(400, "Bad Request: No valid session ID provided"));
    EXPECT_FALSE(is_session_gone(400, "bad JSON"));
    EXPECT_FALSE(is_session_gone(500, "session"));
}

TEST(refusal, says_what_to_look_at) {
    EXPECT_NE(refusal(401, "X", "").message.find("check the headers in [tools.toolkits.X]"), std::string::npos);
    EXPECT_NE(refusal(404, "X", "").message.find("check the url in [tools.toolkits.X]"), std::string::npos);
    EXPECT_NE(refusal(307, "X", "").message.find("redirect"), std::string::npos);
    EXPECT_EQ(refusal(500, "X", "a\nb").message, "its MCP server answered HTTP 500: a b");
}

}  // namespace
}  // namespace gateway::tools
