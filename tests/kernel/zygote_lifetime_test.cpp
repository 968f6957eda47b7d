// How forked kernels end, who notices, and what becomes of them when their zygote does.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>

#include "tests/kernel/with_zygote.hpp"

namespace kernel {
namespace {

class a_zygotes_child : public with_zygote {};
INSTANTIATE_TEST_SUITE_P(by, a_zygotes_child, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_zygotes_child, has_its_exit_status_told) {
    for (int number : {0, 3, 255}) {
        launch_request what = forked_script("exit " + std::to_string(number));
        EXPECT_EQ(launch(what).error, "");
        int status = wait_for_exit(what.id);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), number);
    }
}

TEST_P(a_zygotes_child, has_the_signal_told_that_ended_it) {
    for (int number : {SIGSEGV, SIGKILL, SIGTERM}) {
        launch_request what = forked_script("kill -" + std::to_string(number) + " $$");
        EXPECT_EQ(launch(what).error, "");
        int status = wait_for_exit(what.id);
        EXPECT_TRUE(WIFSIGNALED(status));
        EXPECT_EQ(WTERMSIG(status), number);
    }
}

TEST_P(a_zygotes_child, lives_on_when_its_zygote_is_killed_and_has_its_status_told) {
    launch_request what = forked_script("trap 'exit 7' INT; echo ready > /mnt/files/event; while :; do sleep 1; done");
    launch(what);
    wait_for_event();
    kill_zygote();
    send(signal_command{what.id, SIGINT});
    EXPECT_EQ(WEXITSTATUS(wait_for_exit(what.id)), 7);
}

TEST_P(a_zygotes_child, that_ended_while_its_zygote_stood_still_has_its_status_told_by_the_launcher) {
    launch_request what = forked_script("echo ready > /mnt/files/event; read x < /home/user/go; exit 5");
    ASSERT_EQ(mkfifo(path("home/go").c_str(), 0666), 0);
    chmod(path("home/go").c_str(), 0666);
    launch_answer answer = launch(what);
    wait_for_event();
    ::kill(*zygote_pid(), SIGSTOP);
    file_descriptor kernel = watch(answer.pid);
    write("home/go", "go\n");
    EXPECT_TRUE(has_ended(kernel));
    kill_zygote();
    EXPECT_EQ(WEXITSTATUS(wait_for_exit(what.id)), 5);
}

TEST_P(a_zygotes_child, takes_all_it_started_with_it) {
    launch_request what = forked_script(
        "setsid sh -c 'trap \"\" TERM HUP INT; echo ready > /mnt/files/event; sleep 1000' & read x < /home/user/go");
    ASSERT_EQ(mkfifo(path("home/go").c_str(), 0666), 0);
    chmod(path("home/go").c_str(), 0666);
    launch_answer answer = launch(what);
    wait_for_event();
    file_descriptor init = watch(answer.init_pid);
    write("home/go", "go\n");
    EXPECT_EQ(wait_for_exit(what.id), 0);
    EXPECT_TRUE(has_ended(init));
    EXPECT_EQ(children(), 1U) << "more than the zygote is left";
}

TEST_P(a_zygotes_child, gets_signals_with_its_process_group) {
    // The shell runs its trap only once its child has died of the signal.
    launch_request what = forked_script("trap 'exit 7' INT; sh -c 'echo ready > /mnt/files/event; exec sleep 1000'");
    launch(what);
    wait_for_event();
    send(signal_command{what.id, SIGINT});
    EXPECT_EQ(WEXITSTATUS(wait_for_exit(what.id)), 7);
}

TEST_P(a_zygotes_child, can_be_killed) {
    launch_request what = launch_sleeper();
    send(kill_command{what.id});
    EXPECT_EQ(wait_for_exit(what.id), SIGKILL);
    EXPECT_EQ(children(), 1U);
}

TEST_P(a_zygotes_child, can_be_killed_before_it_runs) {
    launch_request what = child("hang", "");
    send(what);
    send(kill_command{what.id});
    EXPECT_NE(take_answer(what.id).error, "");
    EXPECT_EQ(output_of(forked_script("echo fine")), "fine\n");
}

TEST_P(a_zygotes_child, can_be_killed_while_its_zygote_starts) {
    order("hang-at-start 0\n");
    launch_request what = forked_script("true");
    send(what);
    send(kill_command{what.id});
    EXPECT_NE(take_answer(what.id).error, "");
}

TEST_P(a_zygotes_child, does_not_outlive_a_killed_launcher) {
    launch_request what = forked_script("sleep 1000 & setsid sleep 1000 & echo ready > /mnt/files/event; wait");
    launch_answer answer = launch(what);
    wait_for_event();
    file_descriptor kernel = watch(answer.pid);
    file_descriptor zygote = watch(*zygote_pid());
    kill_launcher();
    EXPECT_TRUE(has_ended(kernel));
    EXPECT_TRUE(has_ended(zygote));
}

TEST_P(a_zygotes_child, does_not_outlive_the_gateways_end_of_the_socket) {
    launch_answer answer = launch(forked_script("sleep 1000 & wait"));
    file_descriptor kernel = watch(answer.pid);
    file_descriptor zygote = watch(*zygote_pid());
    EXPECT_EQ(end_launcher(), 0);
    EXPECT_TRUE(has_ended(kernel));
    EXPECT_TRUE(has_ended(zygote));
}

TEST_P(a_zygotes_child, leaves_nothing_behind_after_20_launches) {
    output_of(forked_script("true"));
    std::size_t files = open_files();
    std::string zygote = "/proc/" + std::to_string(*zygote_pid()) + "/fd";
    std::size_t zygotes = count_entries(zygote);
    for (int i = 0; i < 20; ++i) output_of(forked_script("sleep 1000 & (sleep 1000 &) ; exit 0"));
    EXPECT_EQ(open_files(), files);
    EXPECT_EQ(count_entries(zygote), zygotes);
    EXPECT_EQ(children(), 1U);
}

TEST_P(a_zygotes_child, starts_20_times_at_once) {
    std::vector<launch_request> all;
    for (int i = 0; i < 20; ++i) all.push_back(forked_script("echo $$"));
    for (const launch_request& each : all) send(each);
    for (const launch_request& each : all) {
        EXPECT_EQ(wait_for_exit(each.id), 0);
        EXPECT_EQ(read(each.output_file), "2\n");
    }
    EXPECT_EQ(children(), 1U);
}

TEST_P(a_zygotes_child, starts_in_few_milliseconds) {
    send(prepare_command{command_for_zygote()});
    output_of(forked_script("true"));
    std::vector<double> times;
    for (int i = 0; i < 30; ++i) {
        launch_request what = forked_script("true");
        auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(launch(what).error, "");
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        wait_for_exit(what.id);
    }
    std::ranges::sort(times);
    // A figure for people; a bound would only measure how busy the machine is.
    std::cout << "fork, request to answer: median " << times[times.size() / 2] << " ms, best " << times.front()
              << " ms\n";
}

TEST_P(a_zygotes_child, has_a_zygote_that_was_started_ahead) {
    send(prepare_command{command_for_zygote()});
    int ahead = await_zygote();
    output_of(forked_script("true"));
    EXPECT_EQ(zygote_pid(), ahead);
}

TEST_P(a_zygotes_child, does_not_keep_others_waiting_while_its_zygote_starts) {
    order("hang-at-start 0\n");
    send(forked_script("true"));
    EXPECT_EQ(output_of("echo meanwhile"), "meanwhile\n");
}

}  // namespace
}  // namespace kernel
