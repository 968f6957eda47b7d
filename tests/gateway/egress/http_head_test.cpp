#include "gateway/egress/http_head.hpp"

#include <gtest/gtest.h>

namespace gateway::egress {
namespace {

using kind = body_length::kind;

request_head request(const std::string& fields, const char* version = "1.1") {
    return parse_request_head("POST http://a.test/ HTTP/" + std::string(version) + "\r\n" + fields + "\r\n").value();
}
answer_head answer(const std::string& fields, const char* status = "200") {
    return parse_answer_head("HTTP/1.1 " + std::string(status) + " OK\r\n" + fields + "\r\n").value();
}

TEST(parse_request_head, takes_a_head_apart) {
    auto head = parse_request_head("GET http://a.test/x HTTP/1.0\r\nX-A:b\r\nX-C: \t d e \t\r\nX-E:\r\n\r\n").value();
    EXPECT_EQ(head.method, "GET");
    EXPECT_EQ(head.target, "http://a.test/x");
    EXPECT_EQ(head.minor_version, 0);
    EXPECT_EQ(head.fields, (outbound::headers{{"X-A", "b"}, {"X-C", "d e"}, {"X-E", ""}}));
}

TEST(parse_request_head, refuses_everything_else) {
    std::string nul("GET /\0x HTTP/1.1\r\n\r\n", 20);
    for (const std::string& each : {std::string(),
                                    std::string("\r\n\r\n"),
                                    std::string("GET /\r\n\r\n"),
                                    std::string("GET  HTTP/1.1\r\n\r\n"),
                                    std::string("GET / HTTP/1.2\r\n\r\n"),
                                    std::string("GET / HTTP/2\r\n\r\n"),
                                    std::string("GET / http/1.1\r\n\r\n"),
                                    std::string("GET /a b HTTP/1.1\r\n\r\n"),
                                    std::string("G(T / HTTP/1.1\r\n\r\n"),
                                    std::string(" GET / HTTP/1.1\r\n\r\n"),
                                    std::string("GET / HTTP/1.1 \r\n\r\n"),
                                    std::string("GET /\xc3\xa4 HTTP/1.1\r\n\r\n"),
                                    std::string("GET / HTTP/1.1\n\r\n"),
                                    nul,
                                    std::string("GET / HTTP/1.1\r\nX-A\r\n\r\n"),
                                    std::string("GET / HTTP/1.1\r\n: b\r\n\r\n"),
                                    std::string("GET / HTTP/1.1\r\nX A: b\r\n\r\n"),
                                    std::string("GET / HTTP/1.1\r\n X-A: b\r\n\r\n"),
                                    std::string("GET / HTTP/1.1\r\nX-A: b\r\n\r\nmore"),
                                    std::string("GET / HTTP/1.1\r\nX-A: b\r\n")})
        EXPECT_FALSE(parse_request_head(each)) << each;
}

TEST(parse_answer_head, takes_a_head_apart) {
    auto head = parse_answer_head("HTTP/1.0 404 Not Found\r\nX-A: b\r\n\r\n").value();
    EXPECT_EQ(head.status, 404);
    EXPECT_EQ(head.reason, "Not Found");
    EXPECT_EQ(head.minor_version, 0);
    EXPECT_EQ(parse_answer_head("HTTP/1.1 200\r\n\r\n")->reason, "");
    EXPECT_EQ(parse_answer_head("HTTP/1.1 200 \r\n\r\n")->reason, "");
}

TEST(parse_answer_head, refuses_everything_else) {
    for (const char* each : {"", "\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2000 x\r\n\r\n", "HTTP/1.1 099 x\r\n\r\n",
                             "HTTP/1.1 -20 x\r\n\r\n", "HTTP/2.0 200 x\r\n\r\n", "ICY 200 OK\r\n\r\n",
                             "HTTP/1.1  200 x\r\n\r\n", "HTTP/1.1 200 a\x01\r\n\r\n", "HTTP/1.1 200 OK\r\nX\r\n\r\n"})
        EXPECT_FALSE(parse_answer_head(each)) << each;
}

TEST(body_of, a_request_has_the_body_that_it_states) {
    EXPECT_EQ(*body_of(request("")), (body_length{kind::fixed, 0}));
    EXPECT_EQ(*body_of(request("content-length: 7\r\n")), (body_length{kind::fixed, 7}));
    EXPECT_EQ(*body_of(request("TRANSFER-ENCODING: Chunked\r\n")), (body_length{kind::chunked, 0}));
    EXPECT_EQ(body_of(request("Content-Length: 18446744073709551615\r\n"))->bytes, 18446744073709551615u);
}

TEST(body_of, a_length_that_could_be_taken_in_two_ways_is_refused) {
    for (const char* each :
         {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 3\r\nContent-Length: 3\r\n",
          "Content-Length: 3,3\r\n", "Content-Length: 0x3\r\n", "Content-Length: -3\r\n", "Content-Length: 3 3\r\n",
          "Content-Length:\r\n", "Content-Length: 18446744073709551616\r\n", "Transfer-Encoding: gzip, chunked\r\n",
          "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding:\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"}) {
        EXPECT_FALSE(body_of(request(each))) << each;
        EXPECT_FALSE(body_of(answer(each), "GET")) << each;
    }
    EXPECT_FALSE(body_of(request("Transfer-Encoding: chunked\r\n", "1.0")));
}

TEST(body_of, some_answers_have_none_whatever_they_state) {
    EXPECT_EQ(*body_of(answer("Content-Length: 7\r\n"), "GET"), (body_length{kind::fixed, 7}));
    EXPECT_EQ(*body_of(answer(""), "GET"), (body_length{kind::until_close, 0}));
    EXPECT_EQ(*body_of(answer("Content-Length: 7\r\n"), "HEAD"), body_length());
    for (const char* status : {"100", "204", "304"})
        EXPECT_EQ(*body_of(answer("Content-Length: 7\r\n", status), "GET"), body_length()) << status;
}

TEST(end_to_end_fields, are_those_that_are_not_for_the_next_hop) {
    outbound::headers fields{{"Host", "a"},
                             {"X-A", "1"},
                             {"Connection", "close, X-B"},
                             {"x-b", "2"},
                             {"connection", "x-c"},
                             {"X-C", "3"},
                             {"Proxy-Authorization", "4"},
                             {"TE", "5"},
                             {"Keep-Alive", "6"},
                             {"Upgrade", "7"},
                             {"Content-Length", "8"},
                             {"Trailer", "9"},
                             {"Transfer-Encoding", "10"},
                             {"X-A", "11"}};
    EXPECT_EQ(end_to_end_fields(fields), (outbound::headers{{"X-A", "1"}, {"X-A", "11"}}));
}

}  // namespace
}  // namespace gateway::egress
