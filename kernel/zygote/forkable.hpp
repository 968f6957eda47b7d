// What a fork server (fork_server.hpp) serves: a program that has done its slow start once and goes on as many.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kernel {

struct child_options {
    std::vector<std::string> argv;
    std::map<std::string, std::string> env;  // the whole environment; the child's own has been made the same
    std::string working_dir;                 // the child is there already
    // To be called once, when clients can connect: only then is the kernel told to run. Throws nothing.
    std::function<void()> bound;
};

class forkable {
  public:
    virtual ~forkable() = default;

    // The slow start, once. Ends with exactly one thread. Throws std::exception: its text is the reason given to
    // people.
    virtual void prepare() = 0;
    // fork() with whatever the program must do around it; -1 and errno when there is no child.
    virtual pid_t fork() = 0;
    // In the child, which is inside its box and has no descriptors but the standard ones (and one that bound() closes).
    // Signal dispositions are what prepare() left, nothing is blocked. Returns the exit status.
    virtual int run_child(const child_options& options) = 0;
    // What prepare() read has changed on disk since.
    virtual bool stale() = 0;
};

}  // namespace kernel
