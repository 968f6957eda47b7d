// Every decision about a request's head, as a table: no socket.
#include "gateway/http/admission.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/http/live_server.hpp"

namespace {

using namespace gateway;
using namespace gateway::http;

class Admission : public ::testing::Test {
  protected:
    Admission() {
        auto add = [&](const char* method, const char* pattern, scope needed, error_style style) {
            route each;
            each.method = method;
            each.pattern = pattern;
            each.needed = needed;
            each.errors = style;
            routes.add(std::move(each));
        };
        add("GET", "/api", scope::none, error_style::jupyter);
        add("GET", "/api/kernels", scope::execute, error_style::jupyter);
        add("POST", "/api/kernels", scope::session, error_style::jupyter);
        add("WS", "/api/kernels/{}/channels", scope::execute, error_style::jupyter);
        add("GET", "/api/v1/sessions", scope::execute, error_style::agent);
    }

    // `headers` are added to a Host of localhost.
    admission::decision decide(const char* method, const char* target, header_map headers = {}) {
        auto gate = admission::make(options, routes, keys);
        EXPECT_TRUE(gate);
        what = request();
        what.id = "req_1";
        what.method = method;
        what.headers = std::move(headers);
        if (!what.headers.contains("host")) what.headers.emplace("Host", "localhost:8888");
        return gate->decide(what, target);
    }

    int status(const char* method, const char* target, header_map headers = {}) {
        auto made = decide(method, target, std::move(headers));
        message = made.answer && std::holds_alternative<std::string>(made.answer->body)
                      ? std::get<std::string>(made.answer->body)
                      : std::string();
        return made.answer ? made.answer->status : 200;
    }

    static std::string find(const header_list& list, std::string_view name) {
        for (const auto& [key, value] : list)
            if (key == name) return value;
        return "(none)";
    }

    header_map websocket(header_map more = {}) {
        more.insert({{"Connection", "keep-alive, Upgrade"}, {"Upgrade", "WebSocket"}, {"Authorization", "token exec"}});
        return more;
    }

    router routes;
    server_options options;
    test_http::table_authenticator keys;
    request what;
    std::string message;
};

const header_map exec_key = {{"Authorization", "token exec"}};

TEST_F(Admission, FillsTheRequest) {
    auto made = decide("GET", "/api/kernels?x=1+2", exec_key);
    ASSERT_TRUE(made.found);
    EXPECT_EQ(what.path, "/api/kernels");
    EXPECT_EQ(what.find_query("x"), "1 2");
    EXPECT_EQ(what.caller.user_id, "ada");
    EXPECT_EQ(what.caller.key_id, "key_exec");
}

TEST_F(Admission, WantsAKeyThatMayDoIt) {
    EXPECT_EQ(status("GET", "/api/kernels"), 401);
    EXPECT_EQ(status("GET", "/api/kernels", {{"Authorization", "token wrong"}}), 401);
    EXPECT_EQ(status("GET", "/api/kernels?token=exec"), 200);
    EXPECT_EQ(status("POST", "/api/kernels", exec_key), 403);
    EXPECT_NE(message.find("the scope session; this one has execute"), std::string::npos) << message;
    EXPECT_EQ(status("POST", "/api/kernels", {{"x-api-key", "root"}}), 200);
}

TEST_F(Admission, SaysBearerWithA401) {
    auto made = decide("GET", "/api/kernels");
    EXPECT_EQ(find(made.answer->headers, "WWW-Authenticate"), "Bearer");
    EXPECT_EQ(message.find("wrong"), std::string::npos);
}

TEST_F(Admission, NeedsNoKeyWhereNoneIsNeeded) {
    EXPECT_EQ(status("GET", "/api"), 200);
    EXPECT_EQ(what.caller.allowed, scope::none);
    EXPECT_EQ(status("GET", "/api", exec_key), 200);
    EXPECT_EQ(what.caller.allowed, scope::execute);
    EXPECT_EQ(status("GET", "/api", {{"Authorization", "token wrong"}}), 200);
}

TEST_F(Admission, LetsEveryoneInWithoutKeys) {
    keys.open = true;
    EXPECT_EQ(status("POST", "/api/kernels"), 200);
    EXPECT_TRUE(what.caller.is_admin());
    EXPECT_EQ(status("GET", "/api/kernels", {{"Origin", "http://evil.example"}, {"Authorization", "token exec"}}), 404);
}

TEST_F(Admission, AnswersUnknownPathsAndMethods) {
    EXPECT_EQ(status("GET", "/nothing"), 404);
    EXPECT_EQ(status("PUT", "/api/kernels", exec_key), 405);
    EXPECT_EQ(find(decide("PUT", "/api/kernels", exec_key).answer->headers, "Allow"), "GET, HEAD, OPTIONS, POST");
    EXPECT_EQ(status("GET", "/api/kernels/k/channels", exec_key), 426);
    EXPECT_EQ(status("POST", "/api/kernels/k/channels", exec_key), 405);
    EXPECT_EQ(status("GET", "/a%zz"), 400);
    EXPECT_EQ(status("GET", "/api/../api"), 400);
    EXPECT_EQ(status("CONNECT", "host:80"), 400);
}

TEST_F(Admission, SpeaksTheRoutesLanguage) {
    status("GET", "/api/v1/sessions");
    EXPECT_EQ(message.find("\"reason\""), std::string::npos);
    status("GET", "/api/kernels");
    EXPECT_NE(message.find("\"reason\":\"Unauthorized\""), std::string::npos);
}

TEST_F(Admission, ServesLocalHostsOnly) {
    EXPECT_EQ(status("GET", "/api", {{"Host", "evil.example"}}), 403);
    EXPECT_NE(message.find("server.allow_remote_access"), std::string::npos);
    EXPECT_EQ(status("GET", "/api", {{"Host", "127.0.0.1:1"}}), 200);
    EXPECT_EQ(status("GET", "/api", {{"Host", "a b"}}), 400);
    EXPECT_EQ(status("GET", "/api", {{"Host", "localhost"}, {"Host", "localhost"}}), 400);
    EXPECT_EQ(status("GET", "http://evil.example/api"), 403);
    options.allow_remote_access = true;
    EXPECT_EQ(status("GET", "/api", {{"Host", "evil.example"}}), 200);
}

TEST_F(Admission, LivesBelowItsBaseUrl) {
    options.base_url = "/Team/";
    EXPECT_EQ(status("GET", "/team/api"), 200);
    EXPECT_EQ(status("GET", "/Team/api"), 200);
    EXPECT_EQ(status("GET", "/api"), 404);
    EXPECT_EQ(find(decide("GET", "/team").answer->headers, "Location"), "/team/");
    EXPECT_EQ(status("GET", "/team"), 302);
}

TEST_F(Admission, HidesTheApiFromForeignPages) {
    EXPECT_EQ(status("GET", "/api", {{"Origin", "http://localhost:8888"}}), 200);
    EXPECT_EQ(status("GET", "/api", {{"Origin", "http://evil.example"}}), 404);
    EXPECT_EQ(status("GET", "/api", {{"Origin", "null"}}), 404);
    EXPECT_EQ(status("GET", "/api/kernels?token=exec", {{"Origin", "http://evil.example"}}), 404);
    EXPECT_EQ(status("GET", "/api/kernels", {{"Origin", "http://evil.example"}, {"x-api-key", "wrong"}}), 404);
}

TEST_F(Admission, LetsAForeignPageInThatHasAKey) {
    auto made = decide("GET", "/api/kernels", {{"Origin", "http://app.example"}, {"Authorization", "token exec"}});
    EXPECT_TRUE(made.found);
    EXPECT_EQ(find(made.headers, "Access-Control-Allow-Origin"), "http://app.example");
    EXPECT_EQ(find(made.headers, "Vary"), "Origin");
}

TEST_F(Admission, RefusesForeignWebSocketsEvenWithAKey) {
    EXPECT_EQ(status("GET", "/api/kernels/k/channels", websocket()), 200);
    EXPECT_EQ(what.parameters, std::vector<std::string>{"k"});
    EXPECT_EQ(status("GET", "/api/kernels/k/channels", websocket({{"Origin", "http://localhost:8888"}})), 200);
    EXPECT_EQ(status("GET", "/api/kernels/k/channels", websocket({{"Origin", "http://evil.example"}})), 403);
    options.allow_origin_pattern = "https?://[a-z]+\\.example";
    EXPECT_EQ(status("GET", "/api/kernels/k/channels", websocket({{"Origin", "http://evil.example"}})), 200);
    EXPECT_EQ(status("GET", "/api/kernels/k/channels", websocket({{"Origin", "http://evil.example.com"}})), 403);
}

TEST_F(Admission, KnowsNoMethodThatStandsForAWebSocket) {
    header_map headers = websocket();
    EXPECT_EQ(status("WS", "/api/kernels/1/channels", headers), 405);
    EXPECT_EQ(status("WS", "/api/kernels/1/channels", exec_key), 405);
}

// CSRF: a browser that names no origin still tells that another site sent it.
TEST_F(Admission, LetsOtherSitesPagesChangeNothing) {
    keys.open = true;
    for (const char* site : {"cross-site", "same-site"}) {
        EXPECT_EQ(status("POST", "/api/kernels", {{"Sec-Fetch-Site", site}}), 403) << site;
        EXPECT_EQ(status("GET", "/api/kernels", {{"Sec-Fetch-Site", site}}), 200) << site;
    }
    for (const char* site : {"same-origin", "none", ""})
        EXPECT_EQ(status("POST", "/api/kernels", {{"Sec-Fetch-Site", site}}), 200) << site;
    EXPECT_EQ(status("POST", "/api/kernels", {{"Sec-Fetch-Site", "same-origin"}, {"Origin", "https://evil.example"}}),
              404);
}

TEST_F(Admission, AnswersAnUpgradeOfAPlainRouteAsAPlainRequest) {
    EXPECT_EQ(status("GET", "/api/kernels", websocket()), 200);
}

struct cors_case {
    const char* allow_origin;
    const char* pattern;
    const char* origin;
    int status;
    const char* answered;
};

TEST_F(Admission, FollowsTheOriginRules) {
    const cors_case table[] = {
        {"", "", "", 200, "(none)"},
        {"", "", "http://a.example", 404, "(none)"},
        {"*", "", "http://a.example", 200, "*"},
        {"*", "", "", 200, "*"},
        {"http://a.example", "", "http://a.example", 200, "http://a.example"},
        {"http://a.example", "", "HTTP://A.example", 200, "HTTP://A.example"},
        {"http://a.example", "", "http://b.example", 404, "http://a.example"},
        {"http://a.example", "", "", 200, "http://a.example"},
        {"", "http://.*[.]example", "http://a.example", 200, "http://a.example"},
        {"", "http://.*[.]example", "http://a.example.org", 404, "(none)"},
        {"", "http://.*[.]example", "", 200, "(none)"},
    };
    for (const auto& each : table) {
        options.allow_origin = each.allow_origin;
        options.allow_origin_pattern = each.pattern;
        header_map headers;
        if (*each.origin) headers.emplace("Origin", each.origin);
        EXPECT_EQ(status("GET", "/api", headers), each.status)
            << each.allow_origin << each.pattern << " " << each.origin;
        EXPECT_EQ(find(decide("GET", "/api", headers).headers, "Access-Control-Allow-Origin"), each.answered)
            << each.allow_origin << each.pattern << " " << each.origin;
    }
}

TEST_F(Admission, SendsTheConfiguredCorsHeaders) {
    options.allow_origin = "https://jupyter.org";
    options.allow_credentials = true;
    options.allow_headers = "X-Test";
    options.allow_methods = "POST";
    options.expose_headers = "X-Exposed";
    options.max_age = "5";
    auto made = decide("GET", "/api");
    EXPECT_EQ(find(made.headers, "Access-Control-Allow-Origin"), "https://jupyter.org");
    EXPECT_EQ(find(made.headers, "Access-Control-Allow-Credentials"), "true");
    EXPECT_EQ(find(made.headers, "Access-Control-Allow-Headers"), "X-Test");
    EXPECT_EQ(find(made.headers, "Access-Control-Allow-Methods"), "POST");
    EXPECT_EQ(find(made.headers, "Access-Control-Expose-Headers"), "X-Exposed");
    EXPECT_EQ(find(made.headers, "Access-Control-Max-Age"), "5");
}

TEST_F(Admission, AnswersOptionsWithoutAKey) {
    auto made = decide("OPTIONS", "/api/kernels");
    EXPECT_EQ(made.answer->status, 204);
    EXPECT_EQ(find(made.answer->headers, "Allow"), "GET, HEAD, OPTIONS, POST");
    EXPECT_EQ(status("OPTIONS", "/nothing"), 404);
}

TEST_F(Admission, LetsAPreflightThroughThatAnnouncesAKey) {
    const header_map preflight = {{"Origin", "http://app.example"},
                                  {"Access-Control-Request-Method", "POST"},
                                  {"Access-Control-Request-Headers", "content-type,authorization"}};
    auto made = decide("OPTIONS", "/api/kernels", preflight);
    EXPECT_EQ(find(made.headers, "Access-Control-Allow-Origin"), "http://app.example");
    EXPECT_EQ(find(made.answer->headers, "Access-Control-Allow-Methods"), "GET, HEAD, OPTIONS, POST");
    EXPECT_NE(find(made.answer->headers, "Access-Control-Allow-Headers").find("authorization"), std::string::npos);
    keys.open = true;
    EXPECT_EQ(find(decide("OPTIONS", "/api/kernels", preflight).headers, "Access-Control-Allow-Origin"), "(none)");
    keys.open = false;
    options.allow_origin = "http://other.example";
    EXPECT_EQ(find(decide("OPTIONS", "/api/kernels", preflight).headers, "Access-Control-Allow-Origin"),
              "http://other.example");
}

TEST_F(Admission, BelievesAProxyOnlyWhenToldTo) {
    const header_map forwarded = {
        {"Host", "inner.example"}, {"X-Forwarded-Host", "localhost"}, {"X-Forwarded-For", "192.0.2.7"}};
    EXPECT_EQ(status("GET", "/api", forwarded), 403);
    options.trust_xheaders = true;
    EXPECT_EQ(status("GET", "/api", forwarded), 200);
    EXPECT_EQ(what.remote, "192.0.2.7");
}

TEST_F(Admission, NamesABadPattern) {
    options.allow_origin_pattern = "(";
    auto gate = admission::make(options, routes, keys);
    ASSERT_FALSE(gate);
    EXPECT_NE(gate.error().message.find("server.allow_origin_pattern"), std::string::npos);
}

}  // namespace
