// What is done and said when a zygote fails, or a kernel on its way from it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/kernel/with_zygote.hpp"

namespace kernel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class a_failing_zygote : public with_zygote {
  protected:
    // Of two launches the second meets what `orders` say; a zygote that is started then behaves.
    void expect_replaced(const std::string& orders) {
        order(orders);
        launch_request first = launch_sleeper();
        int before = *zygote_pid();
        file_descriptor zygote = watch(before);
        order("");
        launch_request second = forked_script("exit 0");
        EXPECT_EQ(launch(second).error, "");
        EXPECT_EQ(wait_for_exit(second.id), 0);
        EXPECT_TRUE(has_ended(zygote));
        EXPECT_NE(zygote_pid(), before);
        send(signal_command{first.id, SIGTERM});
        EXPECT_EQ(WTERMSIG(wait_for_exit(first.id)), SIGTERM) << "the older kernel did not live on";
        wait_for_children(1);
    }
};
INSTANTIATE_TEST_SUITE_P(by, a_failing_zygote, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_failing_zygote, that_crashes_costs_one_retry) { expect_replaced("crash 2\n"); }

TEST_P(a_failing_zygote, that_crashes_with_a_half_born_child_costs_one_retry) {
    expect_replaced("crash-after-fork 2\n");
}

TEST_P(a_failing_zygote, that_crashes_when_its_child_runs_already_costs_nothing) {
    order("crash-when-child-runs 1\n");
    launch_request what = forked_script(
        "echo born >> /mnt/files/births; trap 'exit 7' TERM; echo ready > /mnt/files/event; "
        "while :; do sleep 1; done");
    EXPECT_EQ(launch(what).error, "");
    wait_for_event();
    send(signal_command{what.id, SIGTERM});
    EXPECT_EQ(WEXITSTATUS(wait_for_exit(what.id)), 7);
    EXPECT_EQ(read(path("files/births")), "born\n");
}

TEST_P(a_failing_zygote, that_is_out_of_date_is_replaced) { expect_replaced("stale 2\n"); }

TEST_P(a_failing_zygote, that_hangs_is_replaced) {
    fork_limit_ms_ = 500;
    expect_replaced("hang 2\n");
}

TEST_P(a_failing_zygote, that_stands_still_when_a_kernel_ends_is_replaced_and_the_status_told) {
    fork_limit_ms_ = 100;
    launch_request what = launch_sleeper();
    int before = *zygote_pid();
    file_descriptor zygote = watch(before);
    ::kill(before, SIGSTOP);
    send(signal_command{what.id, SIGTERM});
    EXPECT_EQ(WTERMSIG(wait_for_exit(what.id)), SIGTERM);
    EXPECT_TRUE(has_ended(zygote));
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
}

TEST_P(a_failing_zygote, that_has_got_a_thread_is_replaced_or_cannot_get_one) {
    if (GetParam() == who::root) return expect_replaced("thread 2\n");
    // An ordinary user's zygote that has forked once has another pid namespace in mind, and so no thread can start.
    order("thread 2\n");
    launch_sleeper();
    int before = *zygote_pid();
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
    EXPECT_EQ(zygote_pid(), before);
}

TEST_P(a_failing_zygote, that_was_killed_while_idle_is_replaced) {
    launch_request first = launch_sleeper();
    kill_zygote();
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
    send(kill_command{first.id});
    EXPECT_EQ(wait_for_exit(first.id), SIGKILL);
}

TEST_P(a_failing_zygote, is_tried_only_twice_for_a_kernel) {
    order("crash 0\n");
    EXPECT_THAT(error_of(forked_script("true")), AllOf(HasSubstr("fake_zygote was killed by signal 6"),
                                                       HasSubstr("after a first one had failed as well")));
}

TEST_P(a_failing_zygote, refuses_to_fork_with_two_threads_and_names_them) {
    order("thread 0\n");
    EXPECT_THAT(error_of(forked_script("true")),
                AllOf(HasSubstr("refused to fork"), HasSubstr("2 threads where there may be one"),
                      HasSubstr("a-busy-thread"), HasSubstr("fake_zygote")));
}

TEST_P(a_failing_zygote, is_not_ready_with_two_threads) {
    order("thread-at-start 0\n");
    EXPECT_THAT(error_of(forked_script("true")), AllOf(HasSubstr("ended with status 1"), HasSubstr("a-busy-thread")));
}

TEST_P(a_failing_zygote, may_have_threads_of_libraries_that_end_when_it_forks) {
    order("thread-until-fork 0\n");
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
}

TEST_P(a_failing_zygote, that_cannot_start_is_explained_by_its_last_words) {
    order("throw No module named 'numpy'\n");
    EXPECT_THAT(error_of(forked_script("true")),
                AllOf(HasSubstr("the zygote " + path("zygote/fake_zygote") + " ended with status 1"),
                      HasSubstr("last words:\nfirst line\nlast line\nNo module named 'numpy'")));
    order("exit 5\n");
    EXPECT_THAT(error_of(forked_script("true")), HasSubstr("ended with status 5"));
    order("");
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
}

TEST_P(a_failing_zygote, that_is_killed_before_it_is_ready_costs_one_retry) {
    order("hang-at-start 0\n");
    launch_request what = forked_script("exit 0");
    send(what);
    int first = await_zygote();
    order("");
    kill_zygote();
    EXPECT_EQ(take_answer(what.id).error, "");
    EXPECT_EQ(wait_for_exit(what.id), 0);
    EXPECT_NE(zygote_pid(), first);
}

TEST_P(a_failing_zygote, that_does_not_become_ready_is_replaced) {
    order("hang-at-start 0\n");
    start_limit_ms_ = 3'000;
    launch_request what = forked_script("exit 0");
    send(what);
    await_zygote();
    order("");
    EXPECT_EQ(take_answer(what.id).error, "");
    EXPECT_EQ(wait_for_exit(what.id), 0);
}

TEST_P(a_failing_zygote, that_does_not_become_ready_twice_is_given_up) {
    order("hang-at-start 0\n");
    start_limit_ms_ = 300;
    EXPECT_THAT(error_of(forked_script("true")),
                AllOf(HasSubstr("was not ready within 0.3 s (start_limit_ms)"), HasSubstr("last line")));
}

TEST_P(a_failing_zygote, names_the_program_that_does_not_exist) {
    launch_request what = forked_script("true");
    what.zygote->argv = {"/no/such/zygote"};
    EXPECT_THAT(error_of(what),
                AllOf(HasSubstr("the zygote /no/such/zygote"), HasSubstr("no such program inside the box")));
}

TEST_P(a_failing_zygote, names_the_mount_that_does_not_exist) {
    launch_request what = forked_script("true");
    what.zygote->mounts.push_back({path("missing"), "/data", false});
    EXPECT_THAT(error_of(what), HasSubstr("mount " + path("missing") + ": No such file or directory"));
}

TEST_P(a_failing_zygote, may_not_be_given_what_its_kernels_could_write_to) {
    launch_request what = forked_script("true");
    what.zygote->mounts.push_back({path("home"), "/data", true});
    EXPECT_THAT(error_of(what), HasSubstr("zygote mount /data is writable"));
}

TEST_P(a_failing_zygote, does_not_stand_for_another_one) {
    launch_request broken = forked_script("true");
    broken.zygote->argv = {"/no/such/zygote"};
    error_of(broken);
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
    EXPECT_THAT(error_of(broken), HasSubstr("/no/such/zygote"));
}

class a_zygote_that_complains : public with_zygote {
  protected:
    a_zygote_that_complains() {
        prepare_ = [this] { dup2(creat(path("stderr").c_str(), 0600), STDERR_FILENO); };
    }
    std::string told() const { return read(path("stderr")); }
};
INSTANTIATE_TEST_SUITE_P(by, a_zygote_that_complains, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_zygote_that_complains, and_becomes_ready_is_passed_on) {
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
    EXPECT_EQ(told(), "cellgate-launcher: warning: the zygote " + path("zygote/fake_zygote") +
                          " is ready, and printed:\nfirst line\nlast line\n");
}

TEST_P(a_zygote_that_complains, as_the_one_before_it_is_not_passed_on_again) {
    launch_sleeper();
    kill_zygote();
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
    const std::string all = told();
    EXPECT_THAT(all, HasSubstr("fake_zygote was killed by signal 9"));
    EXPECT_EQ(all.find("is ready, and printed"), all.rfind("is ready, and printed"));
}

class a_kernel_on_its_way : public with_zygote {};
INSTANTIATE_TEST_SUITE_P(by, a_kernel_on_its_way, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_kernel_on_its_way, names_the_missing_working_directory) {
    launch_request what = forked_script("true");
    what.working_dir = "/missing/nowhere";
    EXPECT_THAT(error_of(what), HasSubstr("working directory /missing/nowhere"));
}

TEST_P(a_kernel_on_its_way, tells_why_it_gave_up) {
    EXPECT_EQ(error_of(child("throw", "cannot bind the sockets")), "cannot bind the sockets");
}

TEST_P(a_kernel_on_its_way, tells_that_it_ended_before_it_was_ready) {
    EXPECT_EQ(error_of(child("exit", "4")), "the kernel ended before it was ready (exit status 4)");
}

TEST_P(a_kernel_on_its_way, leaves_its_zygote_in_order) {
    error_of(child("exit", "4"));
    int before = *zygote_pid();
    error_of(child("throw", "x"));
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
    EXPECT_EQ(zygote_pid(), before);
    EXPECT_EQ(children(), 1U);
}

}  // namespace
}  // namespace kernel
