#include <gtest/gtest.h>

#include "gateway/http/authenticator.hpp"
#include "gateway/http/forwarded.hpp"

namespace {

using namespace gateway::http;

request with_header(const char* name, const char* value) {
    request made;
    made.headers.emplace(name, value);
    return made;
}

request with_query(const char* name, const char* value) {
    request made;
    made.query.emplace(name, value);
    return made;
}

TEST(FindKey, LooksWhereverAClientMayPutIt) {
    EXPECT_EQ(find_key(with_header("Authorization", "token K")), "K");
    EXPECT_EQ(find_key(with_header("authorization", "bearer   K ")), "K");
    EXPECT_EQ(find_key(with_header("AUTHORIZATION", "Bearer K")), "K");
    EXPECT_EQ(find_key(with_header("X-API-Key", " K ")), "K");
    EXPECT_EQ(find_key(with_query("token", "K")), "K");
    EXPECT_EQ(find_key(with_header("Sec-WebSocket-Protocol",
                                   "v1.kernel.websocket.jupyter.org, "
                                   "v1.token.websocket.jupyter.org, "
                                   "v1.token.websocket.jupyter.org.K%2F1")),
              "K/1");
}

TEST(FindKey, TakesAnEmptyPlaceForNone) {
    EXPECT_EQ(find_key(request()), std::nullopt);
    EXPECT_EQ(find_key(with_header("Authorization", "token ")), std::nullopt);
    EXPECT_EQ(find_key(with_header("Authorization", "token")), std::nullopt);
    EXPECT_EQ(find_key(with_header("Authorization", "Basic abc")), std::nullopt);
    EXPECT_EQ(find_key(with_header("x-api-key", "")), std::nullopt);
    EXPECT_EQ(find_key(with_query("token", "")), std::nullopt);
    EXPECT_EQ(find_key(with_query("Token", "K")), std::nullopt);
    EXPECT_EQ(find_key(with_header("Sec-WebSocket-Protocol", "v1.token.websocket.jupyter.org")), std::nullopt);
    EXPECT_EQ(find_key(with_header("Sec-WebSocket-Protocol", "v1.token.websocket.jupyter.org.")), std::nullopt);
}

TEST(FindKey, PrefersTheHeader) {
    auto what = with_header("Authorization", "token first");
    what.headers.emplace("x-api-key", "second");
    what.query.emplace("token", "third");
    EXPECT_EQ(find_key(what), "first");
    what.headers.erase("authorization");
    EXPECT_EQ(find_key(what), "second");
    what.headers.clear();
    EXPECT_EQ(find_key(what), "third");
    EXPECT_EQ(find_header_key(what), std::nullopt);
}

TEST(Forwarded, BelievesTheProxyThatIsOurs) {
    request what;
    what.remote = "10.0.0.9";
    what.headers = {{"Host", "inner:8888"},
                    {"X-Forwarded-For", "6.6.6.6, 192.0.2.7"},
                    {"X-Forwarded-Proto", "https"},
                    {"X-Forwarded-Host", "gate.example, inner"}};
    apply_forwarded(what);
    EXPECT_EQ(what.remote, "192.0.2.7");
    EXPECT_TRUE(what.secure);
    EXPECT_EQ(what.header("host"), "gate.example");
}

TEST(Forwarded, IgnoresWhatIsNoAddress) {
    request what;
    what.remote = "10.0.0.9";
    what.headers = {{"Host", "inner"}, {"X-Forwarded-For", "<script>"}, {"X-Scheme", "gopher"}};
    apply_forwarded(what);
    EXPECT_EQ(what.remote, "10.0.0.9");
    EXPECT_FALSE(what.secure);
    EXPECT_EQ(what.header("host"), "inner");
}

}  // namespace
