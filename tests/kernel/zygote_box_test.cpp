// What a forked kernel is and sees of its surroundings: what an executed one does, and nothing of its zygote.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/kernel/with_zygote.hpp"

namespace kernel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class a_forked_kernel : public with_zygote {
  protected:
    std::string output_of_forked(const std::string& text) { return output_of(forked_script(text)); }
};
INSTANTIATE_TEST_SUITE_P(by, a_forked_kernel, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_forked_kernel, is_process_2_of_its_box) {
    EXPECT_EQ(output_of_forked("echo $$; cat /proc/1/comm; cut -d' ' -f5,6 /proc/$$/stat"), "2\ncellgate-init\n2 2\n");
}

TEST_P(a_forked_kernel, may_start_threads) { EXPECT_EQ(output_of_child("thread", ""), "a thread ran\n"); }

TEST_P(a_forked_kernel, sees_its_sessions_own_files) {
    write("home/a", "from home\n");
    EXPECT_EQ(output_of_forked("cat /home/user/a; echo out > /mnt/files/c; pwd; ls -A /tmp"),
              "from home\n/home/user\n");
    EXPECT_EQ(read(path("files/c")), "out\n");
}

TEST_P(a_forked_kernel, starts_in_its_working_directory) {
    launch_request what = forked_script("pwd");
    what.working_dir = "/mnt/files";
    EXPECT_EQ(output_of(what), "/mnt/files\n");
}

TEST_P(a_forked_kernel, sees_nothing_of_the_host_or_its_zygote) {
    EXPECT_THAT(
        output_of_forked("ls " + path("") + " 2>&1; ls -d /proc/" + std::to_string(getpid()) + " 2>&1; ls /home"),
        AllOf(HasSubstr("cannot access '" + path("") + "'"), HasSubstr("cannot access '/proc/"),
              testing::EndsWith("\nuser\n")));
    EXPECT_EQ(output_of_forked("cut -d' ' -f5 /proc/self/mountinfo | grep -c '^/$'"), "1\n");
}

TEST_P(a_forked_kernel, has_its_own_host_name) {
    launch_request what = forked_script("cat /proc/sys/kernel/hostname; getent hosts boxed | cut -d' ' -f1");
    what.hostname = "boxed";
    EXPECT_EQ(output_of(what), "boxed\n127.0.1.1\n");
}

TEST_P(a_forked_kernel, has_the_namespaces_of_its_init) {
    launch_answer answer = launch(forked_script("sleep 1000"));
    for (const char* each : {"ipc", "mnt", "pid", "user", "uts"}) {
        auto link = [&](int pid) {
            return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/ns/" + each).string();
        };
        EXPECT_EQ(link(answer.pid), link(answer.init_pid));
        if (GetParam() == who::ordinary || each != std::string("user")) {
            EXPECT_NE(link(answer.pid), link(*zygote_pid()));
        }
    }
}

TEST_P(a_forked_kernel, has_only_the_standard_descriptors) {
    // The directory itself is the fourth.
    EXPECT_EQ(output_of_child("print", "/proc/self/fd"), "0\n1\n2\n3\n");
}

TEST_P(a_forked_kernel, has_exactly_the_given_environment) {
    launch_request what = child("environment", "");
    what.env = {{"A", "x=y\nz"}, {"B", "caf\xe9 \x01"}};
    EXPECT_EQ(output_of(what), "A=x=y\nz\nB=caf\xe9 \x01\n");
}

TEST_P(a_forked_kernel, takes_an_environment_of_120_KiB) {
    launch_request what = forked_script("printf %s \"$BIG\" | wc -c");
    what.env["BIG"] = std::string(120 << 10, '\x01');
    EXPECT_EQ(output_of(what), std::to_string(120 << 10) + "\n");
}

TEST_P(a_forked_kernel, has_default_signals_and_limits) {
    std::string status = output_of_child("print", "/proc/self/status");
    EXPECT_THAT(status, AllOf(HasSubstr("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"),
                              HasSubstr("Umask:\t0022\n"), HasSubstr("Threads:\t1\n")));
    EXPECT_EQ(output_of_forked("ulimit -Sc; ulimit -Hc; ulimit -Sn"), "0\n0\n4096\n");
}

TEST_P(a_forked_kernel, has_the_rights_of_an_executed_one_and_its_own_proc_files) {
    const std::string rights = "^(Uid|Gid|Groups|Cap...|NoNewPrivs|Seccomp):";
    EXPECT_EQ(output_of_child("shell", "grep -E '" + rights + "' /proc/self/status"),
              output_of("grep -E '" + rights + "' /proc/self/status"));
    EXPECT_THAT(output_of_child("print", "/proc/self/environ"), Not(IsEmpty()));
}

TEST_P(a_forked_kernel, comes_from_a_zygote_that_may_join_boxes_and_nothing_else) {
    order("look around\n");
    const bool root = GetParam() == who::root;
    const std::string joining = "00000000002c0000",
                      with_mapping = "00000000802c0000";  // SYS_ADMIN, SYS_CHROOT, SYS_PTRACE; SETFCAP
    std::string rights;
    for (const char* each : {"CapInh", "CapPrm", "CapEff"}) rights += each + (":\t" + joining) + "\n";
    rights += "CapBnd:\t" + (root ? joining : with_mapping) + "\nCapAmb:\t" + joining + "\nNoNewPrivs:\t1";
    EXPECT_THAT(launch(forked_script("")).error, HasSubstr(rights));
}

TEST_P(a_forked_kernel, comes_from_a_zygote_that_reads_what_another_user_owns) {
    if (GetParam() == who::ordinary) return;  // who may mount only what he reads
    for (const char* each : {"zygote", "zygote/fake_zygote"}) {
        ASSERT_EQ(chown(path(each).c_str(), 1234, 1234), 0);
        ASSERT_EQ(chmod(path(each).c_str(), 0700), 0);
    }
    EXPECT_EQ(output_of_forked("echo runs"), "runs\n");
}

TEST_P(a_forked_kernel, prints_into_its_own_output_file) {
    launch_request one = forked_script("echo one; echo error one >&2");
    launch_request two = forked_script("echo two; read x; echo \"read: $x\"");
    EXPECT_EQ(output_of(one), "one\nerror one\n");
    EXPECT_EQ(output_of(two), "two\nread: \n");
}

TEST_P(a_forked_kernel, is_told_by_the_pids_of_the_host) {
    launch_request what = forked_script("echo ready > /mnt/files/event; exec sleep 1000");
    launch_answer answer = launch(what);
    wait_for_event();
    EXPECT_EQ(read("/proc/" + std::to_string(answer.init_pid) + "/comm"), "cellgate-init\n");
    EXPECT_THAT(read("/proc/" + std::to_string(answer.pid) + "/status"),
                HasSubstr("NSpid:\t" + std::to_string(answer.pid) + "\t2\n"));
    send(kill_command{what.id});
    EXPECT_EQ(wait_for_exit(what.id), SIGKILL);
}

TEST_P(a_forked_kernel, sees_nothing_that_another_one_wrote) {
    EXPECT_EQ(output_of_forked("echo secret > /tmp/a; echo secret > /dev/shm/a; cat /tmp/a"), "secret\n");
    EXPECT_EQ(output_of_forked("ls -A /tmp /dev/shm"), "/dev/shm:\n\n/tmp:\n");
}

TEST_P(a_forked_kernel, has_a_zygote_with_little_of_the_launchers) {
    launch_sleeper();
    std::string zygote = "/proc/" + std::to_string(*zygote_pid());
    std::string env = read(zygote + "/environ");
    std::ranges::replace(env, '\0', '\n');
    EXPECT_EQ(env, "HOME=/home/user\nLANG=C.UTF-8\nPATH=/usr/local/bin:/usr/bin:/bin\nUSER=user\n");
    EXPECT_THAT(read(zygote + "/mountinfo"),
                AllOf(HasSubstr(" " + path("zygote") + " ro,"), Not(HasSubstr("/mnt/files"))));
    EXPECT_THAT(read(zygote + "/status"), HasSubstr("Threads:\t1\n"));
}

}  // namespace
}  // namespace kernel
