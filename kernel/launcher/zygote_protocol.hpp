// What the launcher and a zygote tell each other, over one SOCK_SEQPACKET pair (the zygote's end is its descriptor 3),
// as JSON texts. Values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace kernel {

constexpr int zygote_socket = 3;

// One at a time. Comes with descriptors: the pidfd of the box's init, the box's report socket
// (kernel/sandbox/report.hpp), the file for stdout and stderr, the box's wall (kernel/sandbox/file_wall.hpp) if it has
// one, and what leads into its control groups (kernel/sandbox/control_group.hpp), as many as there are.
struct fork_request {
    std::string id;
    std::vector<std::string> argv;
    std::map<std::string, std::string> env;  // the whole environment
    std::string working_dir;
    // How boxes are made (kernel/sandbox/namespaces.hpp).
    bool unprivileged = false;
    bool confined = true;
    bool own_network = false;
    bool walled = false;

    bool operator==(const fork_request&) const = default;
};

// Once, when everything is imported.
struct zygote_ready {
    bool operator==(const zygote_ready&) const = default;
};

struct fork_done {
    std::string id;
    std::int32_t pid = 0;  // as the zygote and the launcher have it

    bool operator==(const fork_done&) const = default;
};

struct fork_refusal {
    std::string id;
    std::string error;
    bool spent = false;  // another zygote could do it: this one is out of date, or may fork no more

    bool operator==(const fork_refusal&) const = default;
};

// Sent before the child is reaped: when its box is empty, its status has been told.
struct child_end {
    std::int32_t pid = 0;
    std::int32_t status = 0;  // as of waitpid

    bool operator==(const child_end&) const = default;
};

using zygote_order = std::variant<fork_request>;
// A fork_request has exactly one fork_done or fork_refusal; a fork_done is followed, in the end, by one child_end.
using zygote_reply = std::variant<zygote_ready, fork_done, fork_refusal, child_end>;

}  // namespace kernel
