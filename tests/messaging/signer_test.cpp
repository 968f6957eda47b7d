#include "messaging/signer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace messaging {
namespace {

signer made(std::string key, std::string_view scheme = "hmac-sha256") {
    return signer::make(std::move(key), scheme).value();
}

TEST(signer, computes_the_known_digests) {
    // printf '{"a":1}{}{}{"b":2}' | openssl dgst -<digest> -hmac key
    auto sign = [](const char* scheme) { return made("key", scheme).sign({"{\"a\":1}", "{}", "{}", "{\"b\":2}"}); };
    EXPECT_EQ(sign("hmac-sha256"), "0206f42f4ae2a48f6054ab91271f90c100f7022f55fb1f23de6377624d533752");
    EXPECT_EQ(sign("hmac-md5"), "0e062f69ea620fc271bb7cff67f021bd");
    EXPECT_EQ(sign("hmac-sha512"),
              "2997abca549834b2d8e14e3d8b9f713bf28efccf45c26244117fbdded43ba3b1ab28c561d2b5081bc1746314d3480c72eda79e0d"
              "d4f290a270caabd8dbff6b85");
}

TEST(signer, starts_over_for_every_message) {
    auto keys = made("key");
    auto first = keys.sign({"a", "b", "c", "d"});
    EXPECT_NE(keys.sign({"x", "b", "c", "d"}), first);
    EXPECT_EQ(keys.sign({"a", "b", "c", "d"}), first);
}

TEST(signer, refuses_another_signature_and_one_of_another_length) {
    auto keys = made("key");
    auto good = keys.sign({"a", "b", "c", "d"});
    auto bad = good;
    bad.back() = bad.back() == '0' ? '1' : '0';
    EXPECT_EQ(keys.verify({"a", "b", "c", "d"}, bad).error(), errc::bad_signature);
    EXPECT_EQ(keys.verify({"a", "b", "c", "d"}, "").error(), errc::bad_signature);
    EXPECT_EQ(keys.verify({"a", "b", "c", "d"}, good + "0").error(), errc::bad_signature);
    EXPECT_EQ(keys.verify({"a", "b", "c", "x"}, good).error(), errc::bad_signature);
    EXPECT_TRUE(keys.verify({"a", "b", "c", "d"}, good));
}

TEST(signer, refuses_the_second_use_of_a_signature) {
    auto keys = made("key");
    auto good = keys.sign({"a", "b", "c", "d"});
    EXPECT_TRUE(keys.verify({"a", "b", "c", "d"}, good));
    EXPECT_EQ(keys.verify({"a", "b", "c", "d"}, good).error(), errc::duplicate_signature);
}

TEST(signer, does_not_remember_a_forged_signature) {
    auto keys = made("key");
    auto good = keys.sign({"a", "b", "c", "d"});
    EXPECT_FALSE(keys.verify({"x", "b", "c", "d"}, good));
    EXPECT_TRUE(keys.verify({"a", "b", "c", "d"}, good));
}

TEST(signer, with_an_empty_key_takes_the_empty_signature_only_and_any_number_of_times) {
    auto keys = made("", "");
    EXPECT_EQ(keys.sign({"a", "b", "c", "d"}), "");
    EXPECT_TRUE(keys.verify({"a", "b", "c", "d"}, ""));
    EXPECT_TRUE(keys.verify({"a", "b", "c", "d"}, ""));
    EXPECT_EQ(keys.verify({"a", "b", "c", "d"}, "00").error(), errc::bad_signature);
}

TEST(signer, refuses_a_scheme_that_it_does_not_know) {
    for (const char* scheme : {"", "sha256", "hmac-sha1", "HMAC-SHA256", "hmac-"})
        EXPECT_FALSE(signer::make("key", scheme)) << scheme;
}

TEST(signature_history, remembers_65536_and_forgets_in_the_end) {
    signature_history history;
    for (std::uint64_t each = 0; each < signature_history::capacity; ++each)
        ASSERT_TRUE(history.insert(each * 0x9E3779B97F4A7C15u));
    for (std::uint64_t each = 1; each < signature_history::capacity; ++each)
        ASSERT_FALSE(history.insert(each * 0x9E3779B97F4A7C15u)) << each;
    for (std::uint64_t each = 1; each <= 2 * signature_history::capacity; ++each)
        history.insert(each * 0x9E3779B97F4A7C15u + 1);
    EXPECT_TRUE(history.insert(0x9E3779B97F4A7C15u));
}

}  // namespace
}  // namespace messaging
