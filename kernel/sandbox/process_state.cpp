#include "kernel/sandbox/process_state.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {

void close_all_but(std::vector<int> kept) {
    std::erase(kept, -1);
    std::ranges::sort(kept);
    unsigned first = 3;
    for (int each : kept) {
        if (static_cast<unsigned>(each) > first) close_range(first, each - 1, 0);
        first = std::max<unsigned>(first, each + 1);
    }
    close_range(first, ~0U, 0);
}

void reset_signals() {
    // The C library refuses its own two (32, 33), which nobody can have changed.
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

void block_signals() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
}

void set_limits() {
    // 1, not 0: a core_pattern that is a pipe takes a dump at 0, and at 1 neither a pipe nor a file does (core(5)).
    rlimit core{1, 1};
    require(setrlimit(RLIMIT_CORE, &core), "forbid core dumps");
    rlimit files{};
    require(getrlimit(RLIMIT_NOFILE, &files), "read the limit on open files");
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
    require(setrlimit(RLIMIT_NOFILE, &files), "set the limit on open files");
}

void use_output(int output) {
    int nothing = require(open("/dev/null", O_RDONLY | O_CLOEXEC), "open /dev/null");
    require(dup2(nothing, STDIN_FILENO), "redirect stdin");
    require(dup2(output, STDOUT_FILENO), "redirect stdout");
    require(dup2(output, STDERR_FILENO), "redirect stderr");
    close(nothing);
    close(output);
}

void raise_file_limit() {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace kernel
