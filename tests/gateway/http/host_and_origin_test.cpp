#include <gtest/gtest.h>

#include "gateway/http/host_check.hpp"
#include "gateway/http/origin.hpp"

namespace {

using namespace gateway::http;

bool is_local(std::string_view header) {
    auto host = parse_host(header);
    return host && is_local_host(*host, {"localhost", "Gate.example"});
}

TEST(Host, KnowsLoopbackAndTheListedNames) {
    for (auto header : {"localhost", "LOCALHOST:8888", "localhost.", "127.0.0.1", "127.3.4.5:80", "[::1]", "[::1]:8888",
                        "[::ffff:127.0.0.1]:1", "gate.EXAMPLE:443"})
        EXPECT_TRUE(is_local(header)) << header;
}

TEST(Host, RefusesEverythingElse) {
    for (auto header : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "128.0.0.1",
                        "10.0.0.1:8888", "[::2]", "[::ffff:10.0.0.1]", "0.0.0.0", "::1", "127.1", "2130706433"})
        EXPECT_FALSE(is_local(header)) << header;
}

TEST(Host, RefusesWhatIsNoHost) {
    for (auto header :
         {"", ":", ":80", "[", "[]", "[::1", "[::1]x", "[10.0.0.1]", "[localhost]", "a b", "a/b", "user@localhost",
          "localhost:x", "localhost:123456", "localhost:80:80", "local\thost", "a,b", ".", "a.."})
        EXPECT_FALSE(parse_host(header)) << header;
}

TEST(Origin, ComparesHostAndPort) {
    auto same = [](std::string_view origin, std::string_view host) {
        auto from = parse_origin(origin);
        return from && is_same_origin(*from, *parse_host(host));
    };
    EXPECT_TRUE(same("http://localhost:8888", "localhost:8888"));
    EXPECT_TRUE(same("http://LOCALHOST", "localhost:80"));
    EXPECT_TRUE(same("https://gate.example", "gate.example"));
    EXPECT_TRUE(same("https://gate.example", "gate.example:443"));
    EXPECT_TRUE(same("http://[::1]:8888", "[::1]:8888"));
    EXPECT_FALSE(same("http://localhost:8889", "localhost:8888"));
    EXPECT_FALSE(same("https://gate.example", "gate.example:80"));
    EXPECT_FALSE(same("http://evil.example", "localhost"));
    EXPECT_FALSE(same("http://localhost.evil.example:8888", "localhost:8888"));
    EXPECT_FALSE(same("null", "localhost"));
    EXPECT_FALSE(same("localhost", "localhost"));
    EXPECT_FALSE(same("http://", "localhost"));
    EXPECT_FALSE(same("http://localhost/path", "localhost"));
}

}  // namespace
