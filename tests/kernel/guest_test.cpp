// What a program beside a kernel is and sees: the kernel's box, and nothing of the launcher's.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/kernel/with_guest.hpp"

namespace kernel {
namespace {

class a_guest : public with_guest {};
INSTANTIATE_TEST_SUITE_P(by, a_guest, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_guest, sees_what_its_kernel_sees) {
    launch_request kernel = script("echo k > /tmp/of_kernel; echo ready > /mnt/files/event; exec sleep 1000");
    launch(kernel);
    wait_for_event();
    EXPECT_EQ(output_of_guest(kernel.id, "cat /tmp/of_kernel; cat /proc/2/comm; echo x > /mnt/files/made; pwd"),
              "k\nsleep\n/home/user\n");
    EXPECT_EQ(read(path("files/made")), "x\n");
}

TEST_P(a_guest, lives_in_the_namespaces_of_a_forked_kernel_too) {
    launch_request kernel = forked_script("exec sleep 1000");
    launch_answer answer = launch(kernel);
    for (const char* each : {"ipc", "mnt", "pid", "user", "uts"}) {
        const std::string link = std::string("ns/") + each;
        char theirs[64] = {};
        ASSERT_GT(readlink(("/proc/" + std::to_string(answer.pid) + "/" + link).c_str(), theirs, sizeof theirs - 1), 0);
        EXPECT_EQ(output_of_guest(kernel.id, "readlink /proc/self/" + link), std::string(theirs) + "\n");
    }
}

TEST_P(a_guest, has_what_the_kernel_has_of_rights) {
    const std::string asked =
        "grep -E '^(Cap|Groups|SigIgn|SigBlk|NoNewPrivs)' /proc/self/status; id -u; ulimit -Hc; ulimit -Sn";
    launch_request kernel =
        forked_script("(" + asked + ") > /mnt/files/rights; echo ready > /mnt/files/event; exec sleep 1000");
    launch(kernel);
    wait_for_event();
    EXPECT_EQ(output_of_guest(kernel.id, asked), read(path("files/rights")));
}

TEST_P(a_guest, leads_a_session_of_its_own_without_other_descriptors) {
    const std::string box = start_host();
    EXPECT_EQ(output_of_guest(box, "read -a s < /proc/$$/stat; [ ${s[4]} = $$ ] && [ ${s[5]} = $$ ] && echo leads"),
              "leads\n");
    EXPECT_EQ(output_of_guest(box, "exec 9</proc/$$/fd; ls /proc/$$/fd; true"), "0\n1\n2\n9\n");
}

TEST_P(a_guest, has_its_arguments_and_environment_and_no_more) {
    run_request what = guest(start_host(), "");
    what.argv = {"printf", "[%s]", "a b", "$HOME", "*", "", "caf\xe9", "\n"};
    EXPECT_EQ(output_of_guest(what), "[a b][$HOME][*][][caf\xe9][\n]");
    what = guest(what.box, "");
    what.argv = {"/usr/bin/env"};
    what.env = {{"A", "x=y\nz"}};
    EXPECT_EQ(output_of_guest(what), "A=x=y\nz\n");
}

TEST_P(a_guest, reads_its_stdin_and_keeps_its_outputs_apart) {
    run_request what = guest(start_host(), "cat; echo err >&2; echo re > /dev/stdout; exit 3");
    ASSERT_EQ(run(what).error, "");
    write_stdin("in\n");
    EXPECT_EQ(WEXITSTATUS(wait_for_run_end(what.id).status), 3);
    EXPECT_EQ(stdout_text(), "in\nre\n");
    EXPECT_EQ(stderr_text(), "err\n");
}

TEST_P(a_guest, is_told_with_its_pid_and_the_signal_that_ends_it) {
    run_request what = guest(start_host(), "echo ready > /mnt/files/event; sleep 1000; echo late");
    const run_answer answer = run(what);
    wait_for_event();
    EXPECT_EQ(read("/proc/" + std::to_string(answer.pid) + "/comm"), "bash\n");
    send(run_signal{what.id, SIGTERM, false});
    EXPECT_EQ(WTERMSIG(wait_for_run_end(what.id).status), SIGTERM);
    EXPECT_EQ(stdout_text(), "") << "its child has had the signal too";
}

TEST_P(a_guest, leaves_its_children_to_the_box) {
    const std::string box = start_host();
    run_request what = guest(box, "(trap '' TERM; echo ready > /mnt/files/event; exec sleep 1000) & wait");
    ASSERT_EQ(run(what).error, "");
    wait_for_event();
    send(run_signal{what.id, SIGTERM, false});
    wait_for_run_end(what.id);
    EXPECT_EQ(output_of_guest(box, "pgrep -c sleep"), "2\n");
}

TEST_P(a_guest, has_its_group_swept_when_that_was_asked_for) {
    const std::string box = start_host();
    run_request what = guest(box, "(trap '' TERM; echo ready > /mnt/files/event; exec sleep 1000) & wait");
    ASSERT_EQ(run(what).error, "");
    wait_for_event();
    send(run_signal{what.id, SIGTERM, true});
    wait_for_run_end(what.id);
    EXPECT_EQ(stdout_text(), "");
    EXPECT_EQ(output_of_guest(box, "pgrep -c sleep"), "1\n") << "the kernel's own";
}

TEST_P(a_guest, ends_with_its_box) {
    const std::string box = start_host();
    run_request what = guest(box, "trap '' TERM; echo ready > /mnt/files/event; sleep 1000");
    ASSERT_EQ(run(what).error, "");
    wait_for_event();
    send(kill_command{box});
    const run_end end = wait_for_run_end(what.id);
    EXPECT_EQ(end.status, SIGKILL);
    EXPECT_TRUE(end.box_ended);
    wait_for_exit(box);
    EXPECT_EQ(children(), 0U);
}

TEST_P(a_guest, ends_with_its_launcher) {
    for (const std::string& box : {start_host(), start_forked_host()}) {
        run_request what = guest(box, "echo ready > /mnt/files/event; sleep 1000");
        ASSERT_EQ(run(what).error, "");
        wait_for_event();
    }
    EXPECT_EQ(end_launcher(), 0);
}

TEST_P(a_guest, leaves_nothing_with_the_launcher) {
    const std::string box = start_host();
    output_of_guest(box, "true");
    const std::size_t files = open_files();
    for (int each = 0; each < 20; ++each) output_of_guest(box, "true");
    EXPECT_EQ(open_files(), files);
    wait_for_children(1);
}

}  // namespace
}  // namespace kernel
