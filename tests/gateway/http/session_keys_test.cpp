#include "gateway/http/session_keys.hpp"

#include <gtest/gtest.h>

#include "gateway/http/admission.hpp"
#include "tests/gateway/http/live_server.hpp"

namespace {

using namespace gateway;
using namespace gateway::http;

TEST(SessionKeys, AreOfOneSessionAndOneGateway) {
    session_keys keys("secret");
    const auto key = keys.key_of("ses_a");
    EXPECT_TRUE(key.starts_with("sak_"));
    EXPECT_EQ(keys.session_of(key), "ses_a");
    EXPECT_EQ(session_keys("secret").session_of(key), "ses_a") << "also after a restart";
    EXPECT_EQ(session_keys("other").session_of(key), std::nullopt);
}

TEST(SessionKeys, AreNothingWhenTheyAreChanged) {
    session_keys keys("secret");
    const auto key = keys.key_of("ses_a");
    for (std::size_t at = 0; at < key.size(); ++at) {
        auto changed = key;
        changed[at] ^= 1;
        EXPECT_EQ(keys.session_of(changed), std::nullopt) << at;
    }
    for (const auto& each : {std::string(), std::string("sak_"), key.substr(0, key.size() - 1), key + "b", "x" + key})
        EXPECT_EQ(keys.session_of(each), std::nullopt) << each;
    EXPECT_EQ(keys.session_of(key.substr(0, 69)), std::nullopt) << "of no session";
}

class SessionKeyAdmission : public ::testing::Test {
  protected:
    SessionKeyAdmission() {
        auto add = [&](const char* method, const char* pattern, bool takes_session_key, scope needed = scope::execute) {
            route each;
            each.method = method;
            each.pattern = pattern;
            each.needed = needed;
            each.takes_session_key = takes_session_key;
            routes.add(std::move(each));
        };
        add("POST", "/session/{}/execute", true);
        add("GET", "/session/{}", false);
        add("POST", "/make", true);
        add("DELETE", "/session/{}", true, scope::session);
        add("GET", "/open", false, scope::none);
    }

    int status(const char* method, const char* target, const std::string& key) {
        auto gate = admission::make(options, routes, all);
        EXPECT_TRUE(gate);
        what = request();
        what.method = method;
        what.headers.emplace("Host", "localhost:8888");
        what.headers.emplace("x-session-access-key", key);
        auto made = gate->decide(what, target);
        return made.answer ? made.answer->status : 200;
    }

    router routes;
    server_options options;
    session_keys keys{"secret"};
    test_http::table_authenticator inner;
    session_key_authenticator all{inner, keys, [](const std::string& id) {
                                      return id == "ses_a" ? std::optional<std::string>("ada") : std::nullopt;
                                  }};
    request what;
    std::string key = keys.key_of("ses_a");
};

TEST_F(SessionKeyAdmission, LetsItDoWhatIsTheSessions) {
    EXPECT_EQ(status("POST", "/session/ses_a/execute", key), 200);
    EXPECT_EQ(what.caller.user_id, "ada");
    EXPECT_EQ(what.caller.allowed, scope::execute);
    EXPECT_EQ(what.caller.only_session, "ses_a");
    EXPECT_EQ(status("GET", "/open", key), 200);
}

TEST_F(SessionKeyAdmission, LetsItDoNothingElse) {
    EXPECT_EQ(status("POST", "/session/ses_b/execute", key), 403);
    EXPECT_EQ(status("POST", "/session/name-of-a/execute", key), 403);
    EXPECT_EQ(status("GET", "/session/ses_a", key), 403) << "a route that does not take one";
    EXPECT_EQ(status("POST", "/make", key), 403) << "a route of no session";
    EXPECT_EQ(status("DELETE", "/session/ses_a", key), 403) << "the scope";
}

TEST_F(SessionKeyAdmission, EndsWithItsSession) {
    EXPECT_EQ(status("POST", "/session/ses_gone/execute", keys.key_of("ses_gone")), 401);
}

TEST_F(SessionKeyAdmission, LeavesOtherKeysAsTheyAre) {
    EXPECT_EQ(status("GET", "/session/ses_a", "exec"), 200);
    EXPECT_EQ(what.caller.only_session, "");
    EXPECT_EQ(status("GET", "/session/ses_a", "sak_wrong"), 401);
    inner.open = true;
    EXPECT_EQ(status("POST", "/session/ses_b/execute", key), 403) << "a session's key is one also where none is needed";
}

}  // namespace
