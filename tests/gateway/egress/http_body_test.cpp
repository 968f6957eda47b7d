#include "gateway/egress/http_body.hpp"

#include <gtest/gtest.h>

namespace gateway::egress {
namespace {

using kind = body_length::kind;

struct reading {
    std::string body, rest;
    bool done = false, may_end = false, failed = false;

    bool operator==(const reading&) const = default;
};

reading read(body_length length, std::string_view bytes, std::size_t piece) {
    body_reader reader(length);
    reading made;
    while (!bytes.empty() && !reader.is_done()) {
        auto part = bytes.substr(0, piece);
        auto before = part.size();
        auto taken = reader.take(part);
        if (!taken) {
            made.failed = true;
            return made;
        }
        made.body += *taken;
        bytes.remove_prefix(before - part.size());
    }
    made.rest = bytes;
    made.done = reader.is_done();
    made.may_end = reader.may_end();
    return made;
}

// Whatever the pieces are.
reading read(kind how, std::uint64_t size, std::string_view bytes) {
    auto whole = read({how, size}, bytes, bytes.size() + 1);
    for (std::size_t piece : {1u, 2u, 3u, 7u}) {
        auto again = read({how, size}, bytes, piece);
        if (whole.failed) again.body = whole.body;  // what came before what is wrong
        EXPECT_EQ(again, whole) << piece;
    }
    return whole;
}

TEST(body_reader, of_a_length_ends_with_it) {
    EXPECT_EQ(read(kind::fixed, 3, "abcGET"), (reading{"abc", "GET", true, true, false}));
    EXPECT_EQ(read(kind::fixed, 3, "ab"), (reading{"ab", "", false, false, false}));
    EXPECT_EQ(read(kind::fixed, 0, "GET"), (reading{"", "GET", true, true, false}));
}

TEST(body_reader, until_the_end_of_the_connection_has_no_other) {
    EXPECT_EQ(read(kind::until_close, 0, "abc"), (reading{"abc", "", false, true, false}));
}

TEST(body_reader, of_chunks_gives_what_is_in_them) {
    EXPECT_EQ(read(kind::chunked, 0, "3\r\nabc\r\n0A;x=\"y\"\r\n0123456789\r\n2 \r\nde\r\n000\r\nX-T: 1\r\n\r\nGET"),
              (reading{"abc0123456789de", "GET", true, true, false}));
    EXPECT_EQ(read(kind::chunked, 0, "0\r\n\r\n"), (reading{"", "", true, true, false}));
    EXPECT_EQ(read(kind::chunked, 0, "3\r\nabc\r\n0\r\n"), (reading{"abc", "", false, false, false}));
}

TEST(body_reader, chunks_that_are_malformed_are_an_error) {
    for (const std::string& each :
         {std::string("\r\n"), std::string("g\r\n"), std::string("-1\r\n"), std::string("+1\r\n"),
          std::string("0x1\r\n"), std::string("1,\r\n"), std::string("1\nab"), std::string("1\r\r\n"),
          std::string("1\rx"), std::string("1\r\nab\r\n"), std::string("1\r\na0\r\n\r\n"),
          std::string("1000000000000000\r\n"), std::string("1;\x01\r\n"), "1;" + std::string(5000, 'x') + "\r\n",
          std::string("0\r\nX: \n\r\n")})
        EXPECT_TRUE(read(kind::chunked, 0, each).failed) << each.substr(0, 50);
    std::string trailer = "0\r\n";
    for (int count = 0; count < 10; ++count) trailer += "X: " + std::string(2000, 'x') + "\r\n";
    EXPECT_TRUE(read(kind::chunked, 0, trailer + "\r\n").failed);
}

TEST(chunk_of, is_what_the_reader_takes) {
    EXPECT_EQ(chunk_of("0123456789"), "a\r\n0123456789\r\n");
    EXPECT_EQ(chunk_of(""), "0\r\n\r\n");
    EXPECT_EQ(read(kind::chunked, 0, chunk_of("a\r\nb") + chunk_of("")).body, "a\r\nb");
}

}  // namespace
}  // namespace gateway::egress
