// A real cellgate-launcher, a session's directories, and verbs over its socket. Every wait ends at a deadline.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/protocol.hpp"
#include "tests/support/temporary_directory.hpp"

namespace kernel {

// Who the launcher runs as. A test that runs as root becomes uid 1000 for `ordinary`; else only `ordinary` is possible.
enum class who { root, ordinary };
std::vector<who> possible_users();
std::string name_of(const testing::TestParamInfo<who>& user);

class launched : public testing::TestWithParam<who> {
  protected:
    launched();
    ~launched() override;

    // Done by the first launch; before it a test may prepare the launcher's surroundings.
    void start_launcher();
    // Closes the socket and returns the launcher's exit status.
    int end_launcher();
    void kill_launcher();

    // A shell script in a box with the session's two directories.
    launch_request script(const std::string& text);
    launch_answer launch(const launch_request& what);
    launch_answer take_answer(const std::string& id);
    // What came with the last answer of a launch.
    file_descriptor take_listener() { return std::move(listener_); }
    exit_notice wait_for_notice(const std::string& id);
    int wait_for_exit(const std::string& id) { return wait_for_notice(id).status; }  // waitpid's
    limits_notice offered();
    // Launches, expects that it runs, waits for its end; what it printed.
    std::string output_of(const launch_request& what);
    std::string output_of(const std::string& text) { return output_of(script(text)); }

    void send(const command& what, std::span<const int> files = {});
    run_answer take_run_answer(const std::string& id);
    run_end wait_for_run_end(const std::string& id);
    std::string make_directory(const std::string& name);
    void write(const std::string& name, const std::string& text);
    std::string read(const std::string& path) const;
    std::string path(const std::string& name) const { return directory_.path() + "/" + name; }

    // In a box, `echo WORD > /mnt/files/event` is seen by wait_for_event().
    std::string wait_for_event();

    int launcher_pid() const { return launcher_; }
    // Becomes uid 1000 for `ordinary` when the test runs as root.
    void drop_rights() const;
    std::size_t open_files() const;
    std::size_t children() const;
    // For what ends without being told: a given up box.
    void wait_for_children(std::size_t count) const;

    const char* isolation_ = "full";
    // Runs in the launcher's process before it drops its rights.
    std::function<void()> prepare_;

    // To who the launcher runs as.
    void give(const std::string& path) const;
    void give(int file) const { give("/proc/self/fd/" + std::to_string(file)); }

  private:
    void receive();
    [[noreturn]] void become_launcher(int socket) const;

    test_support::temporary_directory directory_;
    file_descriptor socket_;
    file_descriptor events_;
    file_descriptor listener_;
    int launcher_ = 0;
    int launched_ = 0;
    std::map<std::string, launch_answer> answers_;
    std::map<std::string, exit_notice> exits_;
    std::optional<limits_notice> offered_;
    std::map<std::string, run_answer> run_answers_;
    std::map<std::string, run_end> run_ends_;
};

std::size_t count_entries(const std::string& directory);

// True when the process has ended within the deadline; `pidfd` by watch().
file_descriptor watch(int pid);
bool has_ended(const file_descriptor& pidfd);

}  // namespace kernel
