#include "gateway/accounts/proxy_answer.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/gateway/accounts/account_fixture.hpp"

namespace gateway::accounts {
namespace {

using nlohmann::json;

struct the_answer : testing::Test {
    account of = bearer_account();
    std::string secret = "se\"cret/+key";

    json shown(const std::string& type, const std::string& body, outbound::headers more = {}) {
        more.emplace_back("Content-Type", type);
        const credential with(of, secret);
        return json::parse(envelope(make_answer(200, more, body, with)));
    }
};

TEST_F(the_answer, of_json_is_the_json_as_it_came) {
    auto got = shown("application/json; charset=utf-8", R"({"n":12345678901234567890,"t":[1]})");
    EXPECT_EQ(got["status"], 200);
    EXPECT_EQ(got["data"]["n"], 12345678901234567890u);
    EXPECT_EQ(shown("application/vnd.api+json", "[]")["data"], json::array());
    EXPECT_EQ(got["headers"]["content-type"], "application/json; charset=utf-8");
}

TEST_F(the_answer, of_text_is_a_text) {
    EXPECT_EQ(shown("text/html", "<b>\xc3\xa9")["data"], "<b>\xc3\xa9");
    EXPECT_EQ(shown("application/json", "{broken")["data"], "{broken");
    EXPECT_EQ(shown("", "plain")["data"], "plain");
    EXPECT_TRUE(shown("text/plain", "")["data"].is_null());
    auto deep = std::string(600, '[') + std::string(600, ']');
    EXPECT_EQ(shown("application/json", deep)["data"], deep);
}

TEST_F(the_answer, of_bytes_is_base64_and_no_data) {
    auto got = shown("image/png", std::string("\x89PNG\0", 5));
    EXPECT_FALSE(got.contains("data"));
    EXPECT_EQ(got["binary_data"], json::parse(R"({"base64":"iVBORwA=","content_type":"image/png","size":5})"));
    EXPECT_TRUE(shown("text/plain", "\xff\xfe").contains("binary_data"));
}

TEST_F(the_answer, that_is_packed_stays_packed) {
    auto got = shown("application/json", "\x1f\x8b\x08xxxx", {{"Content-Encoding", "gzip"}});
    EXPECT_EQ(got["binary_data"]["size"], 7);
    EXPECT_TRUE(shown("application/json", "{}", {{"Content-Encoding", "br"}}).contains("binary_data"));
}

TEST_F(the_answer, repeats_no_form_of_the_secret) {
    auto quoted = R"(se\"cret/+key)";
    for (const auto& form : {secret, std::string("Bearer ") + secret, std::string("x?k=se%22cret%2F%2Bkey&y=1"),
                             std::string("c2UiY3JldC8ra2V5")}) {
        auto got = shown("text/plain", "before " + form + " after", {{"X-Echo", form}, {"Location", "/" + form}});
        EXPECT_EQ(got.dump().find(json(form).dump()), std::string::npos) << form;
        EXPECT_NE(got["data"].get<std::string>().find("(hidden)"), std::string::npos) << form;
        EXPECT_NE(got["headers"]["x-echo"].get<std::string>().find("(hidden)"), std::string::npos) << form;
    }
    auto got = shown("application/json", std::string(R"({"a":")") + quoted + R"(","b":1})");
    EXPECT_EQ(got["data"]["a"], "(hidden)");
}

TEST_F(the_answer, repeats_the_secret_in_no_name_of_a_header) {
    secret = "Secret-Key-1";
    auto got = shown("text/plain", "x", {{"X-Secret-Key-1", "1"}, {"X-SECRET-KEY-1-b", "2"}});
    EXPECT_EQ(got.dump().find("ecret-key-1"), std::string::npos) << got;
    EXPECT_EQ(got["headers"]["x-(hidden)"], "1");
}

TEST_F(the_answer, repeats_no_basic_credential) {
    of = basic_account();
    secret = "pw";
    auto got = shown("text/plain", "you sent Basic YWRhOnB3YWRh and Basic YWRhOnB3");
    EXPECT_EQ(got["data"].get<std::string>().find("YWRhOnB3"), std::string::npos) << got;
}

TEST_F(the_answer, has_no_session_of_the_service) {
    auto got = shown("text/plain", "x",
                     {{"Set-Cookie", "session=1"}, {"Transfer-Encoding", "chunked"}, {"X-A", "1"}, {"x-a", "2"}});
    EXPECT_FALSE(got["headers"].contains("set-cookie"));
    EXPECT_FALSE(got["headers"].contains("transfer-encoding"));
    EXPECT_EQ(got["headers"]["x-a"], "1, 2");
}

TEST_F(the_answer, is_valid_json_whatever_came) {
    EXPECT_TRUE(shown("text/plain", std::string("a\0b", 3), {{"X-\"A", "\xff\""}}).is_object());
}

}  // namespace
}  // namespace gateway::accounts
