// What leads from Unix sockets to the ports of a box's own network.
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tests/kernel/launched.hpp"

namespace kernel {
namespace {

class a_relay : public launched {
  protected:
    // A kernel in Python that serves port 4711 as `serve` says, when the test has said so.
    launch_request serving(const std::string& serve) {
        launch_request what = script("");
        what.argv = {"/usr/bin/python3", "-c",
                     "import socket, time, pathlib\n"
                     "while not pathlib.Path('/mnt/files/begin').exists(): time.sleep(0.01)\n"
                     "server = socket.create_server(('127.0.0.1', 4711))\n"
                     "open('/mnt/files/event', 'w').write('ready')\n" +
                         serve};
        what.own_network = true;
        what.relays = {{"/mnt/files/relayed", 4711}};
        return what;
    }
    void begin() {
        write("files/begin", "");
        wait_for_event();
    }
    file_descriptor connect() {
        sockaddr_un where{};
        where.sun_family = AF_UNIX;
        const std::string place = path("files/relayed");
        std::memcpy(where.sun_path, place.c_str(), place.size());
        file_descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(::connect(made.get(), reinterpret_cast<sockaddr*>(&where), sizeof where), 0) << strerror(errno);
        return made;
    }
    static std::string read_all(const file_descriptor& from) {
        std::string all;
        char piece[65536];
        for (ssize_t size; (size = ::read(from.get(), piece, sizeof piece)) > 0;) all.append(piece, size);
        return all;
    }
    // What comes back for all of that, after which nothing more is sent.
    static std::string answer_to(const file_descriptor& peer, const std::string& text) {
        write_all(peer, text);
        shutdown(peer.get(), SHUT_WR);
        return read_all(peer);
    }
    static void write_all(const file_descriptor& to, const std::string& text) {
        for (std::size_t done = 0; done < text.size();) {
            const ssize_t size = ::write(to.get(), text.data() + done, text.size() - done);
            ASSERT_GT(size, 0) << strerror(errno);
            done += size;
        }
    }
};
INSTANTIATE_TEST_SUITE_P(by, a_relay, testing::ValuesIn(possible_users()), name_of);

constexpr const char* echo_until_the_end =
    "while True:\n"
    "    peer, _ = server.accept()\n"
    "    got = b''\n"
    "    while piece := peer.recv(1 << 16): got += piece\n"
    "    time.sleep(0.1)\n"
    "    peer.sendall(got); peer.close()\n";

TEST_P(a_relay, carries_both_ways_and_ends_each_half_by_itself) {
    const launch_request what = serving(echo_until_the_end);
    ASSERT_EQ(launch(what).error, "");
    begin();
    const std::string text(3'000'000, 'x');
    for (int each = 0; each < 2; ++each) {
        EXPECT_EQ(answer_to(connect(), text), text);
    }
    send(kill_command{what.id});
    wait_for_exit(what.id);
}

TEST_P(a_relay, ends_a_connection_to_a_port_at_which_nobody_listens_yet) {
    const launch_request what = serving(echo_until_the_end);
    ASSERT_EQ(launch(what).error, "");
    EXPECT_EQ(read_all(connect()), "");
    begin();
    EXPECT_EQ(answer_to(connect(), "late"), "late");
    send(kill_command{what.id});
    wait_for_exit(what.id);
}

TEST_P(a_relay, serves_others_while_one_peer_does_not_read) {
    const launch_request what = serving(
        "import threading\n"
        "def serve(peer):\n"
        "    while piece := peer.recv(1 << 16): peer.sendall(piece)\n"
        "    peer.close()\n"
        "while True: threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()\n");
    ASSERT_EQ(launch(what).error, "");
    begin();
    const file_descriptor stuck = connect();
    const std::string much(1 << 20, 'z');
    std::size_t sent = 0;
    for (ssize_t size; (size = ::send(stuck.get(), much.data(), much.size(), MSG_DONTWAIT)) > 0 || sent == 0;)
        sent += size > 0 ? size : 0;
    EXPECT_EQ(answer_to(connect(), "through"), "through");
    send(kill_command{what.id});
    wait_for_exit(what.id);
}

TEST_P(a_relay, that_cannot_be_made_fails_the_launch) {
    launch_request what = serving("");
    what.relays = {{"/missing/relayed", 4711}};
    EXPECT_THAT(launch(what).error, testing::HasSubstr("bind /missing/relayed"));
    what.id = "other";
    what.relays = {{"/mnt/files/relayed", 0}};
    EXPECT_THAT(launch(what).error, testing::HasSubstr("relay port 0"));
}

}  // namespace
}  // namespace kernel
