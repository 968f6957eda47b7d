// What a session's `sandbox` object says that the gateway acts upon, and the sizes that a sandbox may have. Values;
// pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "kernel/launcher/protocol.hpp"

namespace gateway::sessions {

inline constexpr std::size_t most_sandbox_bytes = 64u << 10;  // of the object; it is in every listing

struct sandbox_settings {
    bool enable = true;  // false: the session has no sandbox of its own, and runs nothing
    std::string size;    // empty: not said

    bool operator==(const sandbox_settings&) const = default;
};

// What the processes of a sandbox may use together; 0 is no limit.
struct sandbox_size {
    std::string name;
    std::int64_t cpu_millis = 1'000;  // thousandths of a processor
    std::int64_t memory_bytes = 1ll << 30;
    std::int64_t pids = 1'024;  // processes and threads
    // What of it this machine can enforce.
    bool cpu_holds = false;
    bool memory_holds = false;
    bool pids_holds = false;
    bool landlock = false;  // beside its size: a second wall around what it may write to
    // Not of its processes, but of its files: in the home directory, and at /mnt/files.
    std::int64_t disk_bytes = 0;
    std::int64_t files_bytes = 0;
    bool disk_holds = false;

    bool operator==(const sandbox_size&) const = default;
};

// Of kernels that Jupyter clients started, unless their sessions name a size.
inline constexpr const char* jupyter_size = "jupyter";

struct sandbox_sizes {
    std::vector<sandbox_size> named;  // not empty
    sandbox_size jupyter{jupyter_size, 0, 0};

    // That of this name; for an empty one what a session has that names none.
    const sandbox_size& of(const std::string& name, bool by_jupyter) const;
    // The next that has more memory; null when none has.
    const sandbox_size* larger_than(const sandbox_size& one) const;
    // For a session whose files lie where they have no limits.
    void without_disk();
};
sandbox_sizes usual_sandbox_sizes();

::kernel::box_limits to_box_limits(const sandbox_size& from);

// All of them, the smallest first: standard, medium, large, xlarge.
std::vector<sandbox_size> usual_sizes();

// `object` is a JSON object; a key that is absent or null is as by default. invalid_request names what is wrong.
result<sandbox_settings> read_sandbox(const std::string& object);
// The same of one that was read before.
sandbox_settings known_sandbox(const std::string& object);
// The object with the keys of `change` in place of its own; null takes one away.
std::string change_sandbox(const std::string& object, const std::string& change);

// Why a session that has no sandbox of its own does not do what was asked.
failure no_sandbox();

}  // namespace gateway::sessions
