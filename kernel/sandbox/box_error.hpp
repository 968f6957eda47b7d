// What could not be done while a box was made, in words for the person who starts a kernel.
// Thrown anywhere in kernel/sandbox; caught once in the launcher's service and once in a box's init.
#pragma once

#include <stdexcept>
#include <string>

namespace kernel {

struct box_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// "mount /proc: Operation not permitted: this machine …": `what`, the reason of `number` (errno), and a hint if there
// is one.
[[noreturn]] void throw_errno(const std::string& what, int number);
[[noreturn]] void throw_errno(const std::string& what);

// Throws when a system call answered -1, else hands its answer on.
template <class Number>
Number require(Number answer, const std::string& what) {
    if (answer < 0) throw_errno(what);
    return answer;
}

}  // namespace kernel
