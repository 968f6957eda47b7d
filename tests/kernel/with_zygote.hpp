// launched.hpp with a zygote: tests/kernel/fake_zygote.cpp in a directory of its own, beside its orders.
#pragma once

#include <optional>
#include <string>

#include "tests/kernel/launched.hpp"

namespace kernel {

class with_zygote : public launched {
  protected:
    with_zygote();

    // What the zygotes that are started from now on do wrong (fake_zygote.cpp), one a line.
    void order(const std::string& lines) { write("zygote/orders", lines); }
    zygote_command command_for_zygote() const;
    // A kernel that does what fake_zygote.cpp's verbs say.
    launch_request child(const std::string& verb, const std::string& what);
    launch_request forked_script(const std::string& text) { return child("shell", text); }
    std::string output_of_child(const std::string& verb, const std::string& what) {
        return output_of(child(verb, what));
    }
    // Launches a kernel that says when it runs, and then sleeps.
    launch_request launch_sleeper();
    std::string error_of(const launch_request& what);

    // Of the one zygote that runs; nothing when there is none.
    std::optional<int> zygote_pid() const;
    int await_zygote() const;
    // Waits until the process has gone.
    void kill_zygote();

    int start_limit_ms_ = 20'000;
    int fork_limit_ms_ = 20'000;
};

}  // namespace kernel
