#include "gateway/http/response_head.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/http/router.hpp"

namespace {

using namespace gateway::http;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

framing sized(std::uint64_t length) {
    framing how;
    how.content_length = length;
    return how;
}

TEST(ResponseHead, SaysStatusTypeLengthAndRequest) {
    auto head = write_head(json_response("{}", 201), sized(2), "req_1", {});
    EXPECT_THAT(head, StartsWith("HTTP/1.1 201 Created\r\nDate: "));
    EXPECT_THAT(head, HasSubstr("\r\nContent-Type: application/json\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nContent-Length: 2\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nX-Request-Id: req_1\r\n"));
    EXPECT_THAT(head, EndsWith("\r\n\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("Connection")));
}

TEST(ResponseHead, GivesNoLengthToWhatHasNoBody) {
    auto head = write_head(empty_response(204), sized(0), "req_1", {});
    EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
    EXPECT_THAT(head, Not(HasSubstr("\r\nContent-Type:")));
}

TEST(ResponseHead, SaysHowTheConnectionGoesOn) {
    framing how;
    how.keep_alive = false;
    how.chunked = true;
    auto head = write_head(json_response("x"), how, "req_1", {});
    EXPECT_THAT(head, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
    how.keep_alive = how.is_http_1_0 = true;
    EXPECT_THAT(write_head(json_response("x"), how, "req_1", {}), HasSubstr("\r\nConnection: keep-alive\r\n"));
}

TEST(ResponseHead, DropsAHeaderThatWouldBecomeTwo) {
    auto answer = json_response("x");
    answer.headers = {{"Location", "/a\r\nSet-Cookie: evil"}, {"X-Good", "1"}, {"X\n-Bad", "1"}};
    auto head = write_head(answer, sized(1), "req_1", {});
    EXPECT_THAT(head, Not(HasSubstr("evil")));
    EXPECT_THAT(head, Not(HasSubstr("Bad")));
    EXPECT_THAT(head, HasSubstr("\r\nX-Good: 1\r\n"));
}

TEST(ResponseHead, PrefersTheAnswersOwnHeader) {
    auto answer = json_response("x");
    answer.headers = {{"vary", "Accept"}};
    auto head = write_head(answer, sized(1), "req_1", {{"Vary", "Origin"}, {"X-More", "1"}});
    EXPECT_THAT(head, HasSubstr("\r\nvary: Accept\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("Origin")));
    EXPECT_THAT(head, HasSubstr("\r\nX-More: 1\r\n"));
}

}  // namespace
