// What the machine itself does to boxes that have limits: with the controllers that this process can really have.
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <sstream>

#include "kernel/sandbox/control_tree.hpp"
#include "tests/kernel/with_guest.hpp"

namespace kernel {
namespace {

constexpr std::int64_t megabyte = 1 << 20;
using std::chrono::steady_clock;

bool until(const std::function<bool()>& is_so) {
    const auto deadline = steady_clock::now() + std::chrono::seconds(10);
    while (!is_so() && steady_clock::now() < deadline) sched_yield();
    return is_so();
}

class a_limited_box : public with_guest {
  protected:
    void SetUp() override {
        const limits_notice can = offered();
        if (!can.cpu || !can.memory || !can.pids)
            GTEST_SKIP() << "this process cannot limit others here: " << can.reason;
    }

    launch_request limited(launch_request what, const box_limits& limits) {
        what.limits = limits;
        return what;
    }
    launch_request python(const std::string& text, const box_limits& limits) {
        write("home/code.py", text);
        return limited(script("exec /usr/bin/python3 /home/user/code.py"), limits);
    }
    exit_notice end_of(const launch_request& what) {
        EXPECT_EQ(launch(what).error, "");
        return wait_for_notice(what.id);
    }
    // Lines of /proc/PID/cgroup that lead to a box's group.
    std::string groups_of(int pid) const {
        std::istringstream lines(read("/proc/" + std::to_string(pid) + "/cgroup"));
        std::string found;
        for (std::string each; std::getline(lines, each);)
            if (each.find("/cellgate-") != std::string::npos) found += each + "\n";
        return found;
    }
    // The launcher's own directories, by a process of a box.
    std::vector<std::string> launchers_groups(int pid) const {
        const std::string groups = groups_of(pid);
        const std::string name = groups.substr(groups.find("/cellgate-"), 18);
        std::vector<std::string> all;
        for (const std::string& base : find_control_tree(machine_control_files()).directories())
            all.push_back(base + name);
        return all;
    }
    static std::size_t count(const std::vector<std::string>& directories) {
        return std::ranges::count_if(directories, [](const auto& each) { return std::filesystem::exists(each); });
    }
    // Of the launcher's first box.
    std::string number(int pid, controller which, const std::string& file) const {
        const std::string groups = groups_of(pid);
        const std::string name = groups.substr(groups.find("/cellgate-"), 18);
        return read(find_control_tree(machine_control_files()).of(which).directory + name + "/1/" + file);
    }
};
std::vector<who> root_if_possible() { return {possible_users().front()}; }
INSTANTIATE_TEST_SUITE_P(by, a_limited_box, testing::ValuesIn(root_if_possible()), name_of);

class a_launcher : public launched {};
INSTANTIATE_TEST_SUITE_P(by, a_launcher, testing::ValuesIn(possible_users()), name_of);

TEST_P(a_launcher, tells_what_it_can_limit_or_why_it_cannot_and_runs_kernels_in_any_case) {
    const limits_notice can = offered();
    EXPECT_EQ(can.reason.empty(), can.cpu && can.memory && can.pids) << can.reason;
    launch_request what = script("echo runs");
    what.limits = {500, 64 * megabyte, 20};
    EXPECT_EQ(output_of(what), "runs\n");
}

TEST_P(a_launcher, refuses_limits_that_are_none) {
    launch_request what = script("true");
    what.limits.memory_bytes = -1;
    EXPECT_NE(launch(what).error.find("limits: -1 is out of range"), std::string::npos);
}

struct bomb {
    const char* name;
    const char* code;
};
constexpr bomb bombs[] = {
    {"memory of its own", "b = bytearray()\nwhile True: b += bytes(1 << 20)\n"},
    {"shared memory", "import mmap\nm = mmap.mmap(-1, 1 << 30)\nfor at in range(0, 1 << 30, 4096): m[at] = 1\n"},
    {"files in /dev/shm", "f = open('/dev/shm/f', 'wb')\nwhile True: f.write(bytes(1 << 20))\n"},
    {"files in /tmp", "f = open('/tmp/f', 'wb')\nwhile True: f.write(bytes(1 << 20))\n"},
    {"a memfd", "import os\nf = os.memfd_create('f')\nwhile True: os.write(f, bytes(1 << 20))\n"},
    {"pipes",
     "import os, fcntl\nall = []\nwhile True:\n  all.append(os.pipe())\n  fcntl.fcntl(all[-1][1], 1031, 1 << 20)\n"
     "  os.write(all[-1][1], bytes(1 << 20))\n"},
};

TEST_P(a_limited_box, is_ended_when_it_takes_more_memory_than_it_may_have_whatever_kind) {
    for (const bomb& each : bombs) {
        const exit_notice end = end_of(python(each.code, {0, 64 * megabyte, 0}));
        EXPECT_TRUE(end.oom) << each.name;
        EXPECT_EQ(WTERMSIG(end.status), SIGKILL) << each.name;
    }
}

TEST_P(a_limited_box, does_not_take_others_with_it) {
    launch_request other = limited(script("echo ready > /mnt/files/event; exec sleep 1000"), {0, 64 * megabyte, 0});
    launch(other);
    wait_for_event();
    EXPECT_TRUE(end_of(python(bombs[0].code, {0, 64 * megabyte, 0})).oom);
    EXPECT_EQ(output_of_guest(other.id, "echo lives"), "lives\n");
}

TEST_P(a_limited_box, that_was_killed_for_another_reason_is_not_told_to_be_out_of_memory) {
    const exit_notice killed = end_of(limited(script("kill -9 $$"), {0, 64 * megabyte, 0}));
    EXPECT_FALSE(killed.oom);
    EXPECT_EQ(WTERMSIG(killed.status), SIGKILL);
    const std::string child = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'bytearray(1 << 28)'])\n";
    const exit_notice ended = end_of(python(child + "sys.exit(3)\n", {0, 64 * megabyte, 0}));
    EXPECT_FALSE(ended.oom) << "only what it had started was killed";
    EXPECT_EQ(WEXITSTATUS(ended.status), 3);
}

TEST_P(a_limited_box, without_a_limit_may_have_what_one_with_a_limit_may_not) {
    EXPECT_EQ(end_of(python("bytearray(1 << 28)\n", {})).status, 0);
    EXPECT_TRUE(end_of(python("bytearray(1 << 28)\n", {0, 64 * megabyte, 0})).oom);
}

TEST_P(a_limited_box, that_cannot_start_in_its_memory_says_so) {
    launch_answer answer = launch(limited(forked_script("true"), {0, 128 << 10, 0}));
    EXPECT_NE(answer.error.find("memory ran out"), std::string::npos) << answer.error;
}

TEST_P(a_limited_box, has_as_many_processes_and_threads_as_it_may_have) {
    const char* code =
        "import os, threading, time\nn = 0\ntry:\n  while n < 5000:\n    if os.fork() == 0: time.sleep(1000)\n    n += "
        "1\n"
        "except BlockingIOError as e: print(n, e.errno)\n"
        "try: threading.Thread(target=print).start()\nexcept RuntimeError as e: print(e)\n";
    launch_request what = python(code, {0, 0, 20});
    EXPECT_EQ(output_of(what), "18 11\ncan't start new thread\n") << "init and the kernel are two of 20";
}

TEST_P(a_limited_box, has_no_more_of_the_processors_than_its_share) {
    const char* code =
        "import os, sys, time\nfor _ in range(4):\n  if os.fork() == 0:\n    end = time.monotonic() + 3\n"
        "    while time.monotonic() < end: pass\n    os._exit(0)\nfor _ in range(4): os.wait()\n"
        "t = os.times()\nprint(t.children_user + t.children_system)\n";
    for (std::int64_t millis : {500, 1'000}) {
        const double used = std::stod(output_of(python(code, {millis, 0, 0})));
        const double share = 3.0 * static_cast<double>(millis) / 1000;
        EXPECT_LE(used, share * 1.15 + 0.1);
        EXPECT_GE(used, share * 0.3) << "the machine may be busy, not idle";
    }
}

TEST_P(a_limited_box, has_other_limits_when_it_is_told) {
    launch_request what = limited(script("echo ready > /mnt/files/event; exec sleep 1000"), {500, 64 * megabyte, 20});
    const int pid = launch(what).pid;
    wait_for_event();
    const bool second = find_control_tree(machine_control_files()).of(controller::memory).version == 2;
    const char* file = second ? "memory.max" : "memory.limit_in_bytes";
    EXPECT_EQ(number(pid, controller::memory, file), "67108864\n");
    EXPECT_EQ(number(pid, controller::pids, "pids.max"), "20\n");
    for (std::int64_t each : {256, 32, 128}) {
        send(limit_command{what.id, {1'000, each * megabyte, 30}});
        EXPECT_TRUE(
            until([&] { return number(pid, controller::memory, file) == std::to_string(each * megabyte) + "\n"; }));
    }
    send(limit_command{what.id, {}});
    EXPECT_TRUE(until([&] { return number(pid, controller::pids, "pids.max") == "max\n"; }));
}

TEST_P(a_limited_box, has_its_init_its_kernel_and_what_runs_beside_in_one_group) {
    for (bool forked : {false, true}) {
        const std::string text = "echo ready > /mnt/files/event; exec sleep 1000";
        launch_request what = forked ? forked_script(text) : script(text);
        const launch_answer answer = launch(what);
        wait_for_event();
        const std::string groups = groups_of(answer.init_pid);
        EXPECT_NE(groups, "");
        EXPECT_EQ(groups_of(answer.pid), groups);
        run_request beside = guest(what.id, "exec sleep 1000");
        EXPECT_EQ(groups_of(run(beside).pid), groups);
        EXPECT_EQ(groups_of(launcher_pid()), "") << "the launcher is in none";
        send(kill_command{what.id});
        wait_for_exit(what.id);
    }
}

TEST_P(a_limited_box, leaves_no_group_behind) {
    const launch_answer first = launch(limited(script("exec sleep 1000"), {500, 64 * megabyte, 20}));
    const std::vector<std::string> groups = launchers_groups(first.pid);
    for (int i = 0; i < 5; ++i) end_of(limited(script("true"), {500, 64 * megabyte, 20}));
    for (const std::string& each : groups)
        EXPECT_TRUE(until([&] { return machine_control_files().children(each).size() == 1; })) << each;
    EXPECT_EQ(end_launcher(), 0);
    EXPECT_EQ(count(groups), 0u);
}

TEST_P(a_limited_box, whose_launcher_was_killed_leaves_no_group_once_another_runs) {
    const launch_answer first = launch(limited(script("exec sleep 1000"), {500, 64 * megabyte, 20}));
    const std::vector<std::string> groups = launchers_groups(first.pid);
    kill_launcher();
    EXPECT_EQ(count(groups), groups.size());
    start_launcher();
    EXPECT_TRUE(until([&] { return count(groups) == 0; }));
}

}  // namespace
}  // namespace kernel
