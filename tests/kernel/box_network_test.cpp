// The network of a box: what is in it, and that all of the box's programs are in it.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/kernel/with_guest.hpp"

namespace kernel {
namespace {

using testing::HasSubstr;

class a_network : public with_guest {
  protected:
    static launch_request in_its_own(launch_request what) {
        what.own_network = true;
        return what;
    }
    static std::string own_namespace() {
        char link[64] = {};
        EXPECT_GT(readlink("/proc/self/ns/net", link, sizeof link - 1), 0);
        return std::string(link) + "\n";
    }
};
INSTANTIATE_TEST_SUITE_P(by, a_network, testing::ValuesIn(possible_users()), name_of);

constexpr const char* interfaces = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; wc -l < /proc/net/route";
constexpr const char* ask_the_proxy =
    "bash -c 'exec 9<>/dev/tcp/127.0.0.1/3128; echo hello >&9; read -r answer <&9; echo \"$answer\"'";

// What one connection to the listener says, answered with "heard …".
void answer_one(const file_descriptor& listener) {
    pollfd waited{listener.get(), POLLIN, 0};
    ASSERT_EQ(poll(&waited, 1, 20'000), 1) << "nobody came";
    const file_descriptor peer(accept(listener.get(), nullptr, nullptr));
    ASSERT_TRUE(peer) << strerror(errno);
    char said[64] = {};
    const ssize_t size = read(peer.get(), said, sizeof said);
    ASSERT_GT(size, 0);
    const std::string answer = "heard " + std::string(said, size);
    ASSERT_EQ(write(peer.get(), answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
}

TEST_P(a_network, has_only_a_loopback_interface_that_works) {
    EXPECT_EQ(output_of(in_its_own(script(interfaces))), "lo\n1\n");
    const launch_request there =
        in_its_own(script("timeout 5 bash -c 'exec 9<>/dev/tcp/127.0.0.1/1' 2>&1 | grep -o refused; echo $(< "
                          "/proc/sys/net/ipv6/conf/lo/disable_ipv6)"));
    EXPECT_THAT(output_of(there), HasSubstr("refused"));
}

TEST_P(a_network, is_the_machines_unless_it_was_asked_for) {
    EXPECT_EQ(output_of("readlink /proc/self/ns/net"), own_namespace());
    EXPECT_FALSE(take_listener());
}

TEST_P(a_network, is_that_of_a_forked_kernel_and_of_programs_beside_it) {
    for (const launch_request& host :
         {in_its_own(script("exec sleep 1000")), in_its_own(forked_script("exec sleep 1000"))}) {
        const launch_answer answer = launch(host);
        ASSERT_EQ(answer.error, "");
        char theirs[64] = {};
        ASSERT_GT(readlink(("/proc/" + std::to_string(answer.pid) + "/ns/net").c_str(), theirs, sizeof theirs - 1), 0);
        EXPECT_NE(std::string(theirs) + "\n", own_namespace());
        EXPECT_EQ(output_of_guest(host.id, "readlink /proc/self/ns/net"), std::string(theirs) + "\n");
        end_host(host.id);
    }
}

TEST_P(a_network, has_a_listener_that_comes_with_the_answer) {
    for (const bool forked : {false, true}) {
        const std::string asks = std::string("echo ready > /mnt/files/event; ") + ask_the_proxy + " > /mnt/files/said";
        const launch_request host = in_its_own(forked ? forked_script(asks) : script(asks));
        ASSERT_EQ(launch(host).error, "");
        const file_descriptor listener = take_listener();
        ASSERT_TRUE(listener);
        wait_for_event();
        answer_one(listener);
        wait_for_exit(host.id);
        EXPECT_EQ(read(path("files/said")), "heard hello\n");
    }
}

TEST_P(a_network, keeps_its_listeners_port_from_others) {
    const char* bind_it =
        "import socket; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
        "try: s.bind(('127.0.0.1', 3128))\n"
        "except OSError as e: print(e.strerror)";
    launch_request what = in_its_own(script(""));
    what.argv = {"/usr/bin/python3", "-c", bind_it};
    EXPECT_EQ(output_of(what), "Address already in use\n");
}

TEST_P(a_network, cannot_be_left_or_changed) {
    const launch_request what = in_its_own(script(
        "ip link add type dummy 2>&1 | head -1; unshare -n true 2>&1; ip addr add 10.0.0.1/8 dev lo 2>&1 | head -1"));
    const std::string said = output_of(what);
    EXPECT_THAT(said, HasSubstr("Operation not permitted"));
    EXPECT_EQ(said.find("dummy0"), said.npos);
}

TEST_P(a_network, belongs_to_what_sees_its_own_control_groups_alone) {
    EXPECT_THAT(output_of("cut -d: -f3 /proc/self/cgroup | sort -u"), testing::AnyOf("/\n", ""));
    const std::string box = start_forked_host();
    EXPECT_THAT(output_of_guest(box, "cut -d: -f3 /proc/self/cgroup | sort -u; cut -d: -f3 /proc/2/cgroup | sort -u"),
                testing::AnyOf("/\n/\n", ""));
}

}  // namespace
}  // namespace kernel
