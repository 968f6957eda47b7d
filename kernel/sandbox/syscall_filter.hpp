// The system calls that what runs in a box may make: a seccomp filter, compiled once for each process that makes boxes
// or joins them. docs/security.md has what is refused.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace kernel {

class syscall_filter {
  public:
    // Of this process; compiled when it is asked for first (a third of a millisecond), and inherited by forks. Throws
    // box_error.
    static const syscall_filter& of_boxes();

    // For the calling process, its children, and whatever they execute; more filters may be added, none removed. The
    // process has no_new_privs. Throws box_error.
    void apply() const;

  private:
    syscall_filter();

    std::vector<sock_filter> program_;
};

}  // namespace kernel
