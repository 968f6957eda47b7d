// Ranges, entity tags, and the headers of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/base/percent.hpp"
#include "gateway/http/byte_range.hpp"
#include "gateway/http/entity_tag.hpp"
#include "gateway/http/file_headers.hpp"
#include "gateway/http/target.hpp"

namespace {

using namespace gateway::http;
using ::testing::ElementsAre;

byte_range part(std::uint64_t first, std::uint64_t length) { return {range_kind::part, first, length}; }

TEST(ARange, IsWithinTheFile) {
    EXPECT_EQ(read_range("bytes=0-0", 10), part(0, 1));
    EXPECT_EQ(read_range("bytes=3-5", 10), part(3, 3));
    EXPECT_EQ(read_range("bytes=3-", 10), part(3, 7));
    EXPECT_EQ(read_range("bytes=3-99999999999999999999999", 10), part(3, 7));
    EXPECT_EQ(read_range("bytes=-4", 10), part(6, 4));
    EXPECT_EQ(read_range("bytes=-40", 10), part(0, 10));
    EXPECT_EQ(read_range("Bytes = 9-9", 10), part(9, 1));
}

TEST(ARange, MayBeUnsatisfiable) {
    for (const char* each : {"bytes=10-", "bytes=10-20", "bytes=99999999999999999999999-", "bytes=-0"})
        EXPECT_EQ(read_range(each, 10).kind, range_kind::unsatisfiable) << each;
    for (const char* each : {"bytes=0-", "bytes=-5"})
        EXPECT_EQ(read_range(each, 0).kind, range_kind::unsatisfiable) << each;
}

TEST(ARange, IsIgnoredWhenItIsNone) {
    for (const char* each : {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-3", "bytes=0-1,3-4", "lines=0-1",
                             "bytes=+1-2", "bytes=1-2x", "bytes=--2", "bytes=1--2"})
        EXPECT_EQ(read_range(each, 10), (byte_range{range_kind::whole, 0, 10})) << each;
}

TEST(EntityTags, AreAListOrAny) {
    EXPECT_TRUE(parse_tags(" * ")->any);
    EXPECT_THAT(parse_tags("\"a-1\"")->strong, ElementsAre("a-1"));
    EXPECT_THAT(parse_tags("\"a\", W/\"b\",\"c,d\"")->strong, ElementsAre("a", "c,d"));
    EXPECT_THAT(parse_tags("\"a\", W/\"b\"")->weak, ElementsAre("b"));
    EXPECT_THAT(parse_tags("a-1-2")->strong, ElementsAre("a-1-2"));
    EXPECT_EQ(entity_tag("a"), "\"a\"");
    for (const char* each : {"", "\"", "\"a", "\"a\" \"b\"", "*,a", "a b", ",", "a\"b"})
        EXPECT_FALSE(parse_tags(each)) << each;
}

TEST(AFilesName, StandsInAHeaderWhateverItIs) {
    EXPECT_EQ(attachment("a.csv"), "attachment; filename=\"a.csv\"");
    EXPECT_EQ(attachment("a \"b\"\r\nX: y"),
              "attachment; filename=\"a _b___X: y\"; filename*=UTF-8''a%20%22b%22%0D%0AX%3A%20y");
    EXPECT_EQ(attachment("\xe6\x97\xa5.txt"), "attachment; filename=\"___.txt\"; filename*=UTF-8''%E6%97%A5.txt");
    EXPECT_EQ(attachment("100%.txt"), "attachment; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt");
}

TEST(AFilesType, GoesByItsExtension) {
    EXPECT_EQ(media_type("d/a.CSV"), "text/csv; charset=utf-8");
    EXPECT_EQ(media_type("a.tar.gz"), "application/gzip");
    for (const char* each : {"a", "csv", "a.", "a.unknown", ".csvx"})
        EXPECT_EQ(media_type(each), "application/octet-stream") << each;
}

TEST(AFilesTime, IsAsHttpWritesIt) {
    EXPECT_EQ(http_date(std::chrono::system_clock::from_time_t(1796050290)), "Mon, 30 Nov 2026 14:51:30 GMT");
}

TEST(APath, IsEncodedSoThatItIsDecodedToTheSame) {
    std::string all = "a/b";
    for (int each = 1; each < 128; ++each) all += static_cast<char>(each);
    all += "\xe6\x97\xa5";
    EXPECT_EQ(percent_decode(gateway::percent_encode(all)).value(), all);
    EXPECT_EQ(gateway::percent_encode("a/b c", true), "a/b%20c");
    EXPECT_EQ(gateway::percent_encode("a/b"), "a%2Fb");
}

}  // namespace
