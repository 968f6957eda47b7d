#include "gateway/sessions/text_decoder.hpp"

#include <gtest/gtest.h>

#include "messaging/utf8.hpp"

namespace gateway::sessions {
namespace {

const std::string mixed =
    "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff"
    "b\xe2\x82 \xed\xa0\x80 \xc0\xaf\xf0\x9f";

TEST(a_text_decoder, gives_the_same_text_however_the_bytes_are_cut) {
    const auto whole = messaging::replace_invalid_utf8(mixed);
    for (std::size_t first = 0; first <= mixed.size(); ++first)
        for (std::size_t second = first; second <= mixed.size(); ++second) {
            text_decoder decoder;
            std::string text = decoder.decode(mixed.substr(0, first));
            text += decoder.decode(mixed.substr(first, second - first));
            text += decoder.decode(mixed.substr(second));
            EXPECT_EQ(text + decoder.finish(), whole) << first << " " << second;
        }
}

TEST(a_text_decoder, waits_for_the_rest_of_a_character_and_for_nothing_else) {
    text_decoder decoder;
    EXPECT_EQ(decoder.decode("x\xe2\x82"), "x");
    EXPECT_EQ(decoder.decode("\xac"), "€");
    EXPECT_EQ(decoder.decode("\xff"), "\xef\xbf\xbd");
    EXPECT_EQ(decoder.finish(), "");
}

TEST(a_text_decoder, ends_an_unfinished_character_as_an_ill_formed_one) {
    text_decoder decoder;
    EXPECT_EQ(decoder.decode("\xf0\x9f\x98"), "");
    EXPECT_EQ(decoder.finish(), "\xef\xbf\xbd");
    EXPECT_EQ(decoder.finish(), "");
}

}  // namespace
}  // namespace gateway::sessions
