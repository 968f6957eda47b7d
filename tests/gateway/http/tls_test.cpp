#include "gateway/http/tls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/http/router.hpp"
#include "tests/gateway/http/certificates.hpp"
#include "tests/gateway/http/client.hpp"
#include "tests/gateway/http/live_server.hpp"

namespace {

using namespace gateway::http;
using namespace test_http;
using ::testing::HasSubstr;

class Tls : public ::testing::Test {
  protected:
    Tls() {
        options.tls_certificate = files.certificate();
        options.tls_key = files.key();
        auto routes = [](router& to, gateway::executor) {
            to.add(plain_route("GET", "/secure", scope::none,
                               [](request& what) { return json_response(what.secure ? "yes" : "no"); }));
            to.add(plain_route("GET", "/big", scope::none,
                               [](request&) { return json_response(std::string(8 << 20, 'x')); }));
            to.add(plain_route("POST", "/size", scope::none,
                               [](request& what) { return json_response(std::to_string(what.body.size())); }));
            to.add(socket_route("/echo", scope::none, echo));
        };
        make_server = [routes, this] { return std::make_unique<live_server>(routes, options); };
    }

    certificates files;
    server_options options;
    std::function<std::unique_ptr<live_server>()> make_server;
};

TEST_F(Tls, ServesRequestsAndWebSockets) {
    auto server = make_server();
    client peer(server->port());
    ASSERT_TRUE(peer.start_tls(files.client_context().get()));
    EXPECT_EQ(peer.get("/secure").body, "yes");
    EXPECT_EQ(peer.get("/big").body.size(), 8u << 20);
    EXPECT_EQ(peer.request("POST", "/size", {}, std::string(1 << 20, 'x')).body, std::to_string(1 << 20));
    EXPECT_EQ(peer.upgrade("/echo").status, 101);
    std::string big(4 << 20, 'x');
    peer.send_frame(binary_frame, big);
    EXPECT_TRUE(peer.read_frame().payload == big);
    peer.send_close(1000);
    EXPECT_EQ(peer.read_frame().close_code(), 1000);
    EXPECT_TRUE(peer.wait_for_close());
}

TEST_F(Tls, EndsAClientThatSpeaksNoTls) {
    auto server = make_server();
    client peer(server->port());
    peer.send("GET /secure HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_ANY_THROW(peer.read_reply());
}

TEST_F(Tls, AsksForAClientCertificateWhenACaIsSet) {
    options.tls_client_ca = files.ca();
    auto server = make_server();
    client with(server->port());
    auto context = files.client_context(true);
    ASSERT_TRUE(with.start_tls(context.get()));
    EXPECT_EQ(with.get("/secure").body, "yes");
    client without(server->port());
    auto bare = files.client_context();
    // With TLS 1.3 the client learns of the refusal only when it reads.
    bool refused = !without.start_tls(bare.get());
    if (!refused) {
        EXPECT_ANY_THROW(without.get("/secure"));
    }
}

TEST_F(Tls, RefusesOldProtocols) {
    auto server = make_server();
    client peer(server->port());
    auto context = files.client_context();
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
    EXPECT_FALSE(peer.start_tls(context.get()));
}

TEST_F(Tls, NamesTheFileThatCannotBeUsed) {
    options.tls_certificate = "/nowhere/cert.pem";
    EXPECT_THAT(make_tls_context(options).error().message, HasSubstr("server.tls_certificate = \"/nowhere/cert.pem\""));
    options.tls_certificate = files.certificate();
    options.tls_key = files.ca();
    EXPECT_THAT(make_tls_context(options).error().message, HasSubstr("server.tls_key"));
    options.tls_key = files.key();
    options.tls_client_ca = "/nowhere/ca.pem";
    EXPECT_THAT(make_tls_context(options).error().message, HasSubstr("server.tls_client_ca"));
    options.tls_certificate.clear();
    EXPECT_THAT(make_tls_context(options).error().message, HasSubstr("need server.tls_certificate"));
}

}  // namespace
