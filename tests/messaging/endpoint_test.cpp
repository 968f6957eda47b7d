#include "messaging/endpoint.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_directory.hpp"

namespace messaging {
namespace {

class endpoint_test : public testing::Test {
  protected:
    ~endpoint_test() override { ::close(listener); }

    void listen_at(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << path;
        ASSERT_EQ(::listen(listener, 8), 0);
    }
    boost::system::error_code connect(const std::string& path) {
        auto made = endpoint::parse("ipc://" + path).value().connect();
        if (!made) return made.error();
        ::close(made->descriptor);
        return {};
    }

    test_support::temporary_directory directory;
    int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

TEST_F(endpoint_test, connects_to_a_socket) {
    listen_at(directory.path() + "/k-1");
    EXPECT_FALSE(connect(directory.path() + "/k-1"));
}

TEST_F(endpoint_test, connects_by_a_path_that_no_address_holds) {
    auto longer = directory.path() + "/" + std::string(200, 'd');
    std::filesystem::create_directory(longer);
    listen_at(directory.path() + "/s");
    std::filesystem::rename(directory.path() + "/s", longer + "/k-1");
    EXPECT_FALSE(connect(longer + "/k-1"));
}

TEST_F(endpoint_test, does_not_follow_a_link_to_a_socket_of_someone_else) {
    listen_at(directory.path() + "/service");
    std::filesystem::create_symlink(directory.path() + "/service", directory.path() + "/k-1");
    EXPECT_EQ(connect(directory.path() + "/k-1"), errc::unsafe_socket);
    std::filesystem::create_directory(directory.path() + "/box");
    std::filesystem::create_symlink("../service", directory.path() + "/box/k-1");
    EXPECT_EQ(connect(directory.path() + "/box/k-1"), errc::unsafe_socket);
}

TEST_F(endpoint_test, does_not_follow_a_link_in_place_of_the_directory) {
    listen_at(directory.path() + "/k-1");
    std::filesystem::create_directory_symlink(directory.path(), directory.path() + "/box");
    EXPECT_EQ(connect(directory.path() + "/box/k-1"), boost::system::errc::not_a_directory);
}

TEST_F(endpoint_test, refuses_what_is_not_a_socket) {
    std::ofstream(directory.path() + "/k-1") << "x";
    EXPECT_EQ(connect(directory.path() + "/k-1"), errc::unsafe_socket);
    std::filesystem::create_directory(directory.path() + "/k-2");
    EXPECT_EQ(connect(directory.path() + "/k-2"), errc::unsafe_socket);
}

TEST_F(endpoint_test, says_that_nobody_is_there) {
    EXPECT_EQ(connect(directory.path() + "/k-1"), boost::system::errc::no_such_file_or_directory);
    listen_at(directory.path() + "/k-1");
    ::shutdown(listener, SHUT_RDWR);
    EXPECT_EQ(connect(directory.path() + "/k-1"), boost::system::errc::connection_refused);
}

// What TCP does when a port that nobody listens on is given to the one who asks for it.
TEST(endpoint, does_not_take_itself_for_the_peer) {
    int self = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(self, reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(::getsockname(self, reinterpret_cast<sockaddr*>(&address), &size), 0);
    ASSERT_EQ(::connect(self, reinterpret_cast<sockaddr*>(&address), size), 0);
    auto done = endpoint::finish(self);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), boost::system::errc::connection_refused);
    ::close(self);
}

struct text_case {
    const char* name;
    std::string text;
    bool is_good;
};

class endpoint_text_test : public testing::TestWithParam<text_case> {};

TEST_P(endpoint_text_test, is_judged) { EXPECT_EQ(endpoint::parse(GetParam().text).has_value(), GetParam().is_good); }

INSTANTIATE_TEST_SUITE_P(of, endpoint_text_test,
                         testing::Values(text_case{"a_path", "ipc:///run/k/k-1", true},
                                         text_case{"ipv4", "tcp://127.0.0.1:4711", true},
                                         text_case{"ipv6", "tcp://[::1]:4711", true},
                                         text_case{"a_path_without_a_folder", "ipc://k-1", false},
                                         text_case{"a_folder", "ipc:///run/k/", false},
                                         text_case{"a_zero_byte", std::string("ipc:///run/\0k", 13), false},
                                         text_case{"a_name", "tcp://localhost:4711", false},
                                         text_case{"no_port", "tcp://127.0.0.1", false},
                                         text_case{"port_0", "tcp://127.0.0.1:0", false},
                                         text_case{"a_port_too_large", "tcp://127.0.0.1:65536", false},
                                         text_case{"a_port_with_a_tail", "tcp://127.0.0.1:1x", false},
                                         text_case{"another_scheme", "udp://127.0.0.1:1", false}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace messaging
