// What happens at server.max_connections: a live server on a loopback port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/http/router.hpp"
#include "tests/gateway/http/client.hpp"
#include "tests/gateway/http/live_server.hpp"

namespace {

using namespace gateway::http;
using namespace test_http;
using ::testing::HasSubstr;

void add_routes(router& to, gateway::executor) {
    to.add(plain_route("GET", "/hello", scope::none, [](request&) { return json_response("\"hello\""); }));
    to.add(socket_route("/echo", scope::none, echo));
}

server_options two_connections() {
    server_options options;
    options.max_connections = 2;
    return options;
}

TEST(ConnectionLimit, IsNamedToOneMoreThanCanBeServed) {
    live_server server(add_routes, two_connections());
    client first(server.port()), second(server.port());
    EXPECT_EQ(first.upgrade("/echo").status, 101);
    EXPECT_EQ(second.upgrade("/echo").status, 101);
    client third(server.port());
    auto answer = third.get("/hello");
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("server.max_connections"));
    EXPECT_TRUE(third.wait_for_close());
    first.send_frame(text_frame, "still here");
    EXPECT_EQ(first.read_frame().payload, "still here");
}

TEST(ConnectionLimit, EndsTheOneThatHasWaitedLongestForARequest) {
    live_server server(add_routes, two_connections());
    client first(server.port()), second(server.port());
    EXPECT_EQ(first.get("/hello").status, 200);
    EXPECT_EQ(second.get("/hello").status, 200);
    EXPECT_EQ(first.get("/hello").status, 200);
    client third(server.port());
    EXPECT_EQ(third.get("/hello").status, 200);
    EXPECT_TRUE(second.wait_for_close());
    EXPECT_EQ(first.get("/hello").status, 200);
}

TEST(ConnectionLimit, CountsARequestFromItsFirstByte) {
    live_server server(add_routes, two_connections());
    client coming(server.port());
    EXPECT_EQ(coming.get("/hello").status, 200);
    client idle(server.port());
    EXPECT_EQ(idle.get("/hello").status, 200);
    coming.send("GET /hello HTTP/1.1\r\nHost: local");
    EXPECT_EQ(client(server.port()).get("/hello").status, 200);
    EXPECT_TRUE(idle.wait_for_close());
    coming.send("host\r\n\r\n");
    EXPECT_EQ(coming.read_reply().status, 200);
}

TEST(ConnectionLimit, IsNotHeldByRequestsThatNeverComeWhole) {
    live_server server(add_routes, two_connections());
    client slow(server.port()), slower(server.port());
    slow.send("GET /hello HTTP/1.1\r\n");
    slower.send("G");
    client third(server.port()), fourth(server.port());
    EXPECT_TRUE(slow.wait_for_close());
    EXPECT_TRUE(slower.wait_for_close());
    EXPECT_EQ(third.get("/hello").status, 200);
    EXPECT_EQ(fourth.get("/hello").status, 200);
}

}  // namespace
