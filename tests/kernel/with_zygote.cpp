#include "tests/kernel/with_zygote.hpp"

#include <sched.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <sstream>

namespace kernel {

with_zygote::with_zygote() {
    make_directory("zygote");
    std::filesystem::copy_file(CELLGATE_FAKE_ZYGOTE, path("zygote/fake_zygote"));
    chmod(path("zygote/fake_zygote").c_str(), 0755);
    order("");
}

zygote_command with_zygote::command_for_zygote() const {
    zygote_command what;
    what.argv = {path("zygote/fake_zygote"), "--zygote"};
    what.mounts = {{path("zygote"), path("zygote"), false}};
    what.start_limit_ms = start_limit_ms_;
    what.fork_limit_ms = fork_limit_ms_;
    return what;
}

launch_request with_zygote::child(const std::string& verb, const std::string& what) {
    launch_request made = script("");
    made.argv = {"fake-kernel", verb, what};
    made.zygote = command_for_zygote();
    return made;
}

launch_request with_zygote::launch_sleeper() {
    launch_request what = forked_script("echo ready > /mnt/files/event; exec sleep 1000");
    EXPECT_EQ(launch(what).error, "");
    EXPECT_EQ(wait_for_event(), "ready");
    return what;
}

std::string with_zygote::error_of(const launch_request& what) {
    launch_answer answer = launch(what);
    EXPECT_EQ(answer.pid, 0);
    return answer.error;
}

std::optional<int> with_zygote::zygote_pid() const {
    std::string pid = std::to_string(launcher_pid());
    std::istringstream all(read("/proc/" + pid + "/task/" + pid + "/children"));
    for (int each; all >> each;)
        if (read("/proc/" + std::to_string(each) + "/comm") == "fake_zygote\n") return each;
    return std::nullopt;
}

int with_zygote::await_zygote() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
        if (std::optional<int> pid = zygote_pid()) return *pid;
        sched_yield();
    }
    throw std::runtime_error("too late: a zygote");
}

void with_zygote::kill_zygote() {
    std::optional<int> pid = zygote_pid();
    ASSERT_TRUE(pid);
    file_descriptor process = watch(*pid);
    ::kill(*pid, SIGKILL);
    EXPECT_TRUE(has_ended(process));
}

}  // namespace kernel
