// What a kernel is and sees of its surroundings: processes, names, signals, limits, descriptors.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/kernel/launched.hpp"

namespace kernel {
namespace {

using testing::HasSubstr;

class a_box : public launched {};
INSTANTIATE_TEST_SUITE_P(by, a_box, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_box, holds_the_kernel_as_process_2) {
    EXPECT_EQ(output_of("echo $$; cat /proc/1/comm"), "2\ncellgate-init\n");
}

TEST_P(a_box, belongs_to_a_user_of_its_own) {
    EXPECT_EQ(output_of("id; getent passwd user; ls -ld /home/user /mnt/files | cut -d' ' -f3,4"),
              "uid=1000(user) gid=1000(user) groups=1000(user)\nuser:x:1000:1000:user:/home/user:/bin/bash\n"
              "user user\nuser user\n");
}

TEST_P(a_box, has_an_init_that_ignores_sigint) {
    EXPECT_EQ(output_of("kill -INT 1; kill -TERM 1; kill -0 1 && echo alive"), "alive\n");
    EXPECT_EQ(output_of("set -- $(grep SigIgn /proc/1/status); echo $((0x$2 & 2))"), "2\n");
}

TEST_P(a_box, starts_the_kernel_with_default_signals) {
    std::string status = output_of("grep -E 'SigIgn|SigBlk' /proc/self/status");
    EXPECT_EQ(status, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_P(a_box, gives_the_kernel_a_session_of_its_own) { EXPECT_EQ(output_of("cut -d' ' -f5,6 /proc/$$/stat"), "2 2\n"); }

TEST_P(a_box, has_its_own_host_name_that_resolves) {
    launch_request what = script("cat /proc/sys/kernel/hostname; getent hosts boxed | cut -d' ' -f1");
    what.hostname = "boxed";
    EXPECT_EQ(output_of(what), "boxed\n127.0.1.1\n");
}

TEST_P(a_box, has_namespaces_of_its_own) {
    for (const char* each : {"ipc", "mnt", "pid", "uts"}) {
        std::string link = std::string("/proc/self/ns/") + each;
        char host[64] = {};
        ASSERT_GT(readlink(link.c_str(), host, sizeof host - 1), 0);
        EXPECT_NE(output_of("readlink " + link), std::string(host) + "\n");
    }
}

TEST_P(a_box, hands_over_only_the_standard_descriptors) { EXPECT_EQ(output_of("ls /proc/$$/fd; true"), "0\n1\n2\n"); }

TEST_P(a_box, forbids_core_dumps_and_allows_4096_files) {
    EXPECT_EQ(output_of("ulimit -Sc; ulimit -Hc; ulimit -Sn"), "0\n0\n4096\n");
}

TEST_P(a_box, passes_the_whole_environment_and_no_more) {
    launch_request what = script("env -u PWD -u OLDPWD -u SHLVL -u _ | sort");
    what.env = {{"A", "x=y\nz"}, {"B", "caf\xe9 \x01"}};
    EXPECT_EQ(output_of(what), "A=x=y\nB=caf\xe9 \x01\nz\n");
}

TEST_P(a_box, takes_an_environment_of_120_KiB) {
    launch_request what = script("printf %s \"$BIG\" | wc -c");
    what.env["BIG"] = std::string(120 << 10, '\x01');
    EXPECT_EQ(output_of(what), std::to_string(120 << 10) + "\n");
}

TEST_P(a_box, starts_the_kernel_in_its_working_directory) {
    launch_request what = script("pwd");
    what.working_dir = "/mnt/files";
    EXPECT_EQ(output_of(what), "/mnt/files\n");
}

TEST_P(a_box, has_the_devices_that_programs_expect) {
    EXPECT_EQ(output_of("head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo x > /dev/null; "
                        "echo y > /dev/shm/f; cat /dev/shm/f; echo z | cat /dev/stdin; echo e >> /dev/stderr"),
              "3\n3\ny\nz\ne\n");
}

TEST_P(a_box, can_open_a_terminal) {
    EXPECT_EQ(output_of("script -qec 'tty' /dev/null </dev/null | tr -d '\\r'"), "/dev/pts/0\n");
}

TEST_P(a_box, tells_pids_as_the_host_has_them) {
    launch_request what = script("echo ready > /mnt/files/event; exec sleep 1000");
    launch_answer answer = launch(what);
    wait_for_event();
    EXPECT_EQ(read("/proc/" + std::to_string(answer.init_pid) + "/comm"), "cellgate-init\n");
    std::string status = read("/proc/" + std::to_string(answer.pid) + "/status");
    EXPECT_THAT(status, HasSubstr("NSpid:\t" + std::to_string(answer.pid) + "\t2\n"));
    send(kill_command{what.id});
    EXPECT_EQ(wait_for_exit(what.id), SIGKILL);
}

}  // namespace
}  // namespace kernel
