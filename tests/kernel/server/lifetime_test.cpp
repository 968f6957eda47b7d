// Where a kernel's server listens, its threads, its end, and peers that misbehave.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/server/error.hpp"
#include "tests/kernel/server/fixture.hpp"

namespace kernel {
namespace {

using messaging::channel;

class lifetime_test : public kernel_server_test {
  protected:
    messaging::connection_info where = ipc_below(directory.path());

    boost::system::error_code error_of_bind() {
        auto made = kernel_server::bind(where);
        return made ? boost::system::error_code() : made.error();
    }
    std::string shell_path() const { return where.ip + "-" + std::to_string(where.shell_port); }
    void expect_to_work() {
        connect().send(channel::shell, "kernel_info_request");
        EXPECT_TRUE(sink.next_request());
    }
};

std::set<std::string> threads() {
    std::set<std::string> found;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task"))
        found.insert(each.path().filename().string());
    return found;
}

std::set<int> descriptors() {
    std::set<int> found;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
        found.insert(std::stoi(each.path().filename().string()));
    return found;
}

// ---- addresses

TEST_F(lifetime_test, finds_free_tcp_ports) {
    where.transport = "tcp";
    where.ip = "127.0.0.1";
    where.shell_port = where.iopub_port = where.stdin_port = where.control_port = where.hb_port = 0;
    server = kernel_server::bind(where).value();
    server->start(sink);
    const auto& found = server->where();
    std::set ports{found.shell_port, found.iopub_port, found.stdin_port, found.control_port, found.hb_port};
    EXPECT_EQ(ports.size(), 5u);
    EXPECT_EQ(ports.count(0), 0u);
    expect_to_work();
    EXPECT_EQ(client->heartbeat("ping"), "ping");
}

TEST_F(lifetime_test, listens_over_ipv6) {
    where.transport = "tcp";
    where.ip = "::1";
    where.shell_port = where.iopub_port = where.stdin_port = where.control_port = where.hb_port = 0;
    auto made = kernel_server::bind(where);
    if (!made) {  // a machine without IPv6 says so
        EXPECT_EQ(made.error(), bind_errc::bad_address);
        return;
    }
    EXPECT_NE((*made)->where().shell_port, 0);
}

TEST_F(lifetime_test, does_not_listen_where_another_does) {
    server = kernel_server::bind(where).value();
    EXPECT_EQ(error_of_bind(), bind_errc::in_use);
    where = server->where();
    where.transport = "tcp";
    where.ip = "127.0.0.1";
    where.shell_port = where.iopub_port = where.stdin_port = where.control_port = where.hb_port = 0;
    server = kernel_server::bind(where).value();
    where = server->where();
    EXPECT_EQ(error_of_bind(), bind_errc::in_use);
}

TEST_F(lifetime_test, replaces_the_sockets_of_a_kernel_that_was_killed) {
    pid_t child = ::fork();
    if (child == 0) {
        auto killed = kernel_server::bind(where);
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    ASSERT_TRUE(std::filesystem::is_socket(shell_path()));
    start();
    expect_to_work();
}

TEST_F(lifetime_test, does_not_replace_a_file) {
    std::ofstream(shell_path()) << "text";
    EXPECT_EQ(error_of_bind(), bind_errc::not_a_socket);
    EXPECT_TRUE(std::filesystem::is_regular_file(shell_path()));
}

TEST_F(lifetime_test, leaves_nothing_behind_when_one_of_its_addresses_is_taken) {
    std::ofstream(where.ip + "-" + std::to_string(where.hb_port)) << "text";
    EXPECT_EQ(error_of_bind(), bind_errc::not_a_socket);
    EXPECT_FALSE(std::filesystem::exists(shell_path()));
}

TEST_F(lifetime_test, refuses_a_path_that_no_socket_can_have) {
    auto longest = 107 - std::string("-1").size();
    where.ip += std::string(longest - where.ip.size(), 'x');
    EXPECT_FALSE(error_of_bind());
    where.ip += "x";
    EXPECT_EQ(error_of_bind(), bind_errc::path_too_long);
    EXPECT_NE(error_of_bind().message().find("107 bytes"), std::string::npos);
}

TEST_F(lifetime_test, refuses_what_is_no_address_of_this_machine) {
    where.transport = "tcp";
    for (auto address : {"not-an-address", "192.0.2.1"}) {
        where.ip = address;
        EXPECT_EQ(error_of_bind(), bind_errc::bad_address) << address;
    }
}

TEST_F(lifetime_test, refuses_an_unknown_signature_scheme) {
    where.signature_scheme = "hmac-rot13";
    EXPECT_EQ(error_of_bind(), messaging::errc::bad_connection_file);
}

// ---- start and stop

TEST_F(lifetime_test, serves_a_client_that_came_before_it_started) {
    server = kernel_server::bind(where).value();
    std::thread early([this] { connect().send(channel::shell, "kernel_info_request"); });
    std::this_thread::yield();
    server->start(sink);
    EXPECT_TRUE(sink.next_request());
    early.join();
}

TEST_F(lifetime_test, has_no_thread_before_it_starts_and_none_after_it_stopped) {
    auto before = threads();
    server = kernel_server::bind(where).value();
    EXPECT_EQ(threads(), before);
    server->start(sink);
    EXPECT_GT(threads().size(), before.size());
    server->stop();
    // The kernel may list a thread for a moment after it was joined.
    EXPECT_TRUE(wait_until([&] { return threads() == before; }));
}

TEST_F(lifetime_test, lets_none_of_its_threads_take_a_signal) {
    auto before = threads();
    start();
    connect();
    expect_to_work();
    client.reset();
    ASSERT_TRUE(wait_until([&] { return threads().size() >= before.size() + 3; }));
    for (const auto& each : threads()) {
        if (before.count(each)) continue;
        std::ifstream status("/proc/self/task/" + each + "/status");
        std::string name, mask;
        while (status >> name && name != "SigBlk:") continue;
        if (!(status >> mask)) continue;  // it has ended
        auto blocked = std::stoull(mask, nullptr, 16);
        for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM})
            EXPECT_TRUE(blocked >> (signal - 1) & 1) << signal << " in thread " << each;
    }
    sigset_t mine;
    pthread_sigmask(SIG_SETMASK, nullptr, &mine);
    EXPECT_EQ(sigismember(&mine, SIGINT), 0);
}

TEST_F(lifetime_test, leaves_none_of_its_descriptors_to_a_program_that_is_started) {
    std::set<int> before = descriptors();
    start();
    test_client other(server->where());
    for (int each : descriptors()) {
        int flags = ::fcntl(each, F_GETFD);
        // -1: the descriptor by which the directory was read.
        if (!before.count(each) && flags >= 0) {
            EXPECT_TRUE(flags & FD_CLOEXEC) << each;
        }
    }
}

TEST_F(lifetime_test, sends_what_it_was_given_before_it_stops) {
    start({.coalescing = std::chrono::hours(1)});
    connect();
    for (int index = 0; index < 1000; ++index) server->publish(output_of("display_data"));
    server->write(output_stream::out, "last words", nullptr);
    server->stop();
    for (int index = 0; index < 1000; ++index) ASSERT_EQ(type_of(client->next_output()), "display_data");
    EXPECT_EQ(text_of(client->next_output()), "last words");
}

TEST_F(lifetime_test, removes_its_sockets_when_it_stops) {
    start();
    EXPECT_TRUE(std::filesystem::exists(shell_path()));
    server->stop();
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST_F(lifetime_test, may_be_stopped_again_and_used_afterwards) {
    start();
    server->stop();
    server->stop();
    server->publish(output_of("status"));
    server->send(output_of("execute_reply"));
    server->write(output_stream::out, "text", nullptr);
    server->flush();
    server->drain_captured();
    EXPECT_TRUE(server->wait_for_room(patience));
    EXPECT_EQ(server->unsent(), 0u);
}

TEST_F(lifetime_test, ends_at_once_when_it_was_never_started) {
    server = kernel_server::bind(where).value();
    server->publish(output_of("status"));
    server.reset();
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST_F(lifetime_test, does_nothing_in_a_process_that_was_forked_off) {
    start();
    connect();
    pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);  // for a lock that is never let go
        server->write(output_stream::out, "from the copy", nullptr);
        server->publish(output_of("status"));
        server->flush();
        server->drain_captured();
        bool room = server->wait_for_room(patience);
        server->stop();
        ::_exit(room ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    server->publish(output_of("display_data"));
    EXPECT_EQ(type_of(client->next_output()), "display_data");
}

TEST_F(lifetime_test, leaves_its_addresses_to_the_next_although_a_process_that_was_forked_off_lives) {
    start();
    connect();
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);
        server->leave_to_parent();
        bool told = ::write(ready[1], "", 1) == 1;
        while (told) ::pause();
        ::_exit(1);
    }
    char byte;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    server->stop();
    EXPECT_TRUE(kernel_server::bind(where));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
}

// ---- peers

// Speaks ZMTP by hand.
class raw_peer {
  public:
    explicit raw_peer(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
        timeval limit{std::chrono::duration_cast<std::chrono::seconds>(patience).count(), 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }

    bool write(std::string_view bytes) {
        return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == std::ssize(bytes);
    }
    // Greeting and READY of a DEALER.
    bool shake_hands() {
        std::string greeting("\xFF\0\0\0\0\0\0\0\1\x7F\3\0NULL", 16);
        greeting.resize(64);
        return write(greeting) && write(std::string_view("\4\x1C\5READY\13Socket-Type\0\0\0\6DEALER", 30));
    }
    // What it sends until it hangs up; false when it does not.
    bool is_hung_up_on() {
        char buffer[4096];
        ssize_t got;
        while ((got = ::recv(socket_.get(), buffer, sizeof buffer, 0)) > 0) continue;
        return got == 0 || errno == ECONNRESET;
    }

  private:
    file_descriptor socket_;
};

TEST_F(lifetime_test, hangs_up_on_who_announces_a_gigabyte) {
    start();
    raw_peer peer(shell_path());
    ASSERT_TRUE(peer.shake_hands());
    ASSERT_TRUE(peer.write(std::string_view("\2\0\0\0\0\x40\0\0\0", 9)));
    EXPECT_TRUE(peer.is_hung_up_on());
    expect_to_work();
}

TEST_F(lifetime_test, serves_others_whatever_one_says) {
    start();
    raw_peer peer(shell_path());
    ASSERT_TRUE(peer.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(1000, '\xFF')));
    expect_to_work();
}

TEST_F(lifetime_test, serves_others_while_one_has_sent_half_a_message) {
    start();
    raw_peer peer(shell_path());
    ASSERT_TRUE(peer.shake_hands());
    ASSERT_TRUE(
        peer.write(std::string_view("\1\x09<IDS|MSG>\1\x40"
                                    "0000",
                                    17)));
    expect_to_work();
    EXPECT_EQ(client->heartbeat("ping"), "ping");
}

TEST_F(lifetime_test, serves_who_comes_back_under_the_same_identity) {
    start();
    connect();
    client->send(channel::shell, "kernel_info_request");
    ASSERT_TRUE(sink.next_request());
    test_client again(server->where(), "client");
    again.send(channel::shell, "kernel_info_request");
    auto request = sink.next_request();
    ASSERT_TRUE(request);
    auto reply = messaging::make_message(channel::shell, "kernel_info_reply", "k", "{}");
    reply.identities = request->identities;
    server->send(reply);
    EXPECT_TRUE(again.next(channel::shell));
}

}  // namespace
}  // namespace kernel
