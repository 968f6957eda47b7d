#include "gateway/http/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace gateway;
using namespace gateway::http;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

router make_router() {
    router made;
    auto add = [&](const char* method, const char* pattern) {
        route each;
        each.method = method;
        each.pattern = pattern;
        made.add(std::move(each));
    };
    add("GET", "/");
    add("GET", "/api/kernels");
    add("POST", "/api/kernels");
    add("GET", "/api/kernels/{}");
    add("DELETE", "/api/kernels/{}");
    add("WS", "/api/kernels/{}/channels");
    add("GET", "/files/{*}");
    add("HEAD", "/both");
    add("GET", "/both");
    return made;
}

struct found {
    std::string pattern;
    std::vector<std::string> parameters;
    bool operator==(const found&) const = default;
};

found find(std::string_view method, std::string_view path) {
    static const router routes = make_router();
    auto match = routes.find(method, path);
    if (!match.found) return {};
    return {match.found->method + " " + match.found->pattern, match.parameters};
}

TEST(Router, FindsTheRouteOfAMethodAndAPath) {
    EXPECT_EQ(find("GET", "/"), (found{"GET /", {}}));
    EXPECT_EQ(find("GET", "/api/kernels"), (found{"GET /api/kernels", {}}));
    EXPECT_EQ(find("POST", "/api/kernels"), (found{"POST /api/kernels", {}}));
    EXPECT_EQ(find("DELETE", "/api/kernels/k1"), (found{"DELETE /api/kernels/{}", {"k1"}}));
    EXPECT_EQ(find("WS", "/api/kernels/k1/channels"), (found{"WS /api/kernels/{}/channels", {"k1"}}));
}

TEST(Router, IgnoresOneSlashAtTheEnd) {
    EXPECT_EQ(find("GET", "/api/kernels/"), (found{"GET /api/kernels", {}}));
    EXPECT_EQ(find("GET", "/api/kernels//"), found{});
}

TEST(Router, KeepsAnEncodedSlashInsideItsSegment) {
    EXPECT_EQ(find("GET", "/api/kernels/a%2Fb%20c"), (found{"GET /api/kernels/{}", {"a/b c"}}));
    EXPECT_EQ(find("GET", "/api/%6Bernels"), (found{"GET /api/kernels", {}}));
}

TEST(Router, TakesTheRestOfThePath) {
    EXPECT_EQ(find("GET", "/files/a/b%20c/d.txt"), (found{"GET /files/{*}", {"a/b c/d.txt"}}));
    EXPECT_EQ(find("GET", "/files/"), found{});
}

TEST(Router, AnswersHeadByGetUnlessThereIsAHead) {
    EXPECT_EQ(find("HEAD", "/api/kernels"), (found{"GET /api/kernels", {}}));
    EXPECT_EQ(find("HEAD", "/both"), (found{"HEAD /both", {}}));
}

TEST(Router, NamesTheMethodsOfAPath) {
    auto routes = make_router();
    EXPECT_THAT(routes.find("PUT", "/api/kernels").allowed, ElementsAre("GET", "POST"));
    EXPECT_THAT(routes.find("GET", "/api/kernels/x/channels").allowed, ElementsAre("WS"));
    EXPECT_THAT(routes.find("GET", "/nothing").allowed, IsEmpty());
    EXPECT_THAT(routes.find("GET", "/api/kernels/x/y").allowed, IsEmpty());
    EXPECT_THAT(routes.find("GET", "nothing").allowed, IsEmpty());
    EXPECT_THAT(routes.find("GET", "").allowed, IsEmpty());
}

TEST(Router, TellsAFailureInBothShapes) {
    failure why{errc::not_found, "no \"such\" thing"};
    auto agent = error_response(why, error_style::agent, "req_1");
    EXPECT_EQ(agent.status, 404);
    EXPECT_EQ(std::get<std::string>(agent.body),
              R"({"error":{"code":"not_found","message":"no \"such\" thing","request_id":"req_1","status":404}})");
    auto jupyter = error_response(why, error_style::jupyter, "req_1");
    EXPECT_EQ(std::get<std::string>(jupyter.body),
              R"({"error":{"code":"not_found","message":"no \"such\" thing","request_id":"req_1","status":404},)"
              R"("message":"no \"such\" thing","reason":"Not Found"})");
}

TEST(Router, TellsAFailureThatIsNoUtf8) {
    failure why{errc::internal_error, "bad \xff byte"};
    EXPECT_EQ(error_response(why, error_style::agent, "req_1").status, 500);
}

}  // namespace
