// A request's head as bytes and as headers, and how slow a body may be: tables, no socket.
#include <gtest/gtest.h>

#include "gateway/http/head_scanner.hpp"
#include "gateway/http/header_rules.hpp"
#include "gateway/http/pace.hpp"

namespace {

using namespace gateway::http;
using verdict = head_scanner::verdict;
using std::chrono::milliseconds;

verdict scan(std::string_view head, std::size_t limit = 1000) { return head_scanner(limit).scan(head); }

TEST(HeadScanner, EndsWithTheEmptyLine) {
    EXPECT_EQ(scan("GET / HTTP/1.1\r\nHost: x\r\nX:\ty \r\n\r\nbody\n"), verdict::complete);
    EXPECT_EQ(scan("GET / HTTP/1.1\r\nHost: x\r\n"), verdict::more);
    EXPECT_EQ(scan("GET / HTTP/1.1\r\nX: \xc3\xa9\xff\r\n\r\n"), verdict::complete);
}

TEST(HeadScanner, FindsTheSameByteByByte) {
    const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    head_scanner scanner(1000);
    for (std::size_t at = 0; at + 1 < head.size(); ++at) EXPECT_EQ(scanner.scan(head.substr(at, 1)), verdict::more);
    EXPECT_EQ(scanner.scan(head.substr(head.size() - 1)), verdict::complete);
}

TEST(HeadScanner, RefusesLinesThatCanBeCutInTwoWays) {
    for (std::string_view each :
         {"GET / HTTP/1.1\nHost: x", "GET / HTTP/1.1\r\nA: b\nC: d", "A: b\rC: d", "A: b\r\rC", "A: b\r\n c",
          "A: b\r\n\tc", " GET / HTTP/1.1", "\r\nGET / HTTP/1.1", "A: b\x01", "A: b\x7f", "A: b\x0b"})
        EXPECT_EQ(scan(each), verdict::malformed) << each;
    EXPECT_EQ(scan(std::string_view("A: b\0c", 6)), verdict::malformed);
}

TEST(HeadScanner, CountsTheWholeHead) {
    const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_EQ(scan(head, head.size()), verdict::complete);
    EXPECT_EQ(scan(head, head.size() - 1), verdict::too_large);
    EXPECT_EQ(scan(head, 10), verdict::line_too_long);
}

bool passes(header_map headers, bool is_http_1_0 = false) {
    if (!is_http_1_0) headers.emplace("host", "localhost");
    return check_headers(headers, is_http_1_0).has_value();
}

TEST(HeaderRules, TakeOneLengthOrChunks) {
    EXPECT_TRUE(passes({}));
    EXPECT_TRUE(passes({{"Content-Length", "05"}}));
    EXPECT_TRUE(passes({{"Transfer-Encoding", " Chunked "}}));
    EXPECT_TRUE(passes({}, true));
    for (const char* length : {"", "+5", "-5", "0x5", "5 5", "5, 5", "5\t", "5.0", "\xd9\xa5"})
        EXPECT_FALSE(passes({{"Content-Length", length}})) << length;
    for (const char* coding :
         {"", "identity", "gzip, chunked", "chunked, chunked", "chunked;q=1", "xchunked", "\"chunked\""})
        EXPECT_FALSE(passes({{"Transfer-Encoding", coding}})) << coding;
    EXPECT_FALSE(passes({{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}));
    EXPECT_FALSE(passes({{"Transfer-Encoding", "chunked"}}, true));
}

TEST(HeaderRules, RefuseTwoOfWhatThereIsOneOf) {
    for (const char* name :
         {"Content-Length", "Transfer-Encoding", "Host", "Authorization", "Origin", "sec-websocket-key"})
        EXPECT_FALSE(passes({{name, "5"}, {name, "5"}})) << name;
    EXPECT_TRUE(passes({{"Accept", "a"}, {"Accept", "b"}}));
    EXPECT_FALSE(check_headers({}, false));
}

TEST(Pace, LetsAPeerBeSilentForAWhile) {
    pace one(milliseconds(1000), 100);
    EXPECT_EQ(one.left(), milliseconds(1000));
    one.add(milliseconds(400), 1);
    EXPECT_EQ(one.left(), milliseconds(610));
    one.begin();
    EXPECT_EQ(one.left(), milliseconds(1000));
}

TEST(Pace, EndsWhatIsSlowerInTheLongRun) {
    pace slow(milliseconds(1000), 100), enough(milliseconds(1000), 100);
    for (int i = 0; i < 100; ++i) slow.add(milliseconds(20), 1);
    for (int i = 0; i < 100; ++i) enough.add(milliseconds(20), 2);
    EXPECT_EQ(slow.left(), milliseconds(0));
    EXPECT_EQ(enough.left(), milliseconds(1000));
}

TEST(Pace, SavesUpOneSilenceAtMost) {
    pace fast(milliseconds(1000), 100);
    fast.add(milliseconds(1), 1'000'000);
    EXPECT_EQ(fast.left(), milliseconds(1000));
}

TEST(Pace, WithoutARateOnlySilenceCounts) {
    pace any(milliseconds(1000), 0);
    for (int i = 0; i < 100; ++i) any.add(milliseconds(900), 1);
    EXPECT_EQ(any.left(), milliseconds(1000));
}

}  // namespace
