// What the gateway asks the launcher process, over one SOCK_SEQPACKET pair, as JSON texts. Values.
// The launcher is single-threaded and holds no socket of a kernel: it may fork safely (kernel/launcher/main.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kernel {

// A directory or file of the host, as it is seen inside the box.
struct bind_mount {
    std::string source;
    std::string target;
    bool writable = false;

    bool operator==(const bind_mount&) const = default;
};

// A fork server that kernels are forked from: started once for each distinct command, in a root that is assembled like
// a box's, of these mounts. kernel/launcher/zygote_protocol.hpp has what is said to it.
struct zygote_command {
    std::vector<std::string> argv;   // argv[0] is an absolute path, as it is inside that root
    std::vector<bind_mount> mounts;  // read-only ones, at the places where its kernels' boxes have them
    // How long it may take to be ready (imports take one or two seconds; a cold disk ten times that), and to answer
    // that it has forked; one that takes longer is killed and replaced.
    std::int32_t start_limit_ms = 30'000;
    std::int32_t fork_limit_ms = 10'000;

    bool operator==(const zygote_command&) const = default;
};

// What the processes of a box may use together; 0 is no limit.
struct box_limits {
    std::int64_t cpu_millis = 0;  // thousandths of a processor
    std::int64_t memory_bytes = 0;
    std::int64_t pids = 0;  // processes and threads

    bool operator==(const box_limits&) const = default;
};

// Connections to a Unix socket inside the box that are led to a TCP port of its loopback interface.
struct tcp_relay {
    std::string socket;  // its path, inside
    std::int32_t port = 0;

    bool operator==(const tcp_relay&) const = default;
};

struct launch_request {
    std::string id;                          // chosen by the gateway, unique among living kernels
    std::vector<std::string> argv;           // argv[0] is an absolute path, as it is inside the box
    std::map<std::string, std::string> env;  // the whole environment
    std::string working_dir = "/home/user";
    std::vector<bind_mount> mounts;  // besides the box's own (/usr, /etc, /proc, /dev, /tmp)
    std::string hostname = "cellgate";
    std::string output_file;  // stdout and stderr of the kernel go here (appended, at most 1 MiB kept)
    // When set, the kernel is forked from it instead of executed; argv is then what the forked child reads.
    std::optional<zygote_command> zygote;
    box_limits limits = {};
    bool own_network = false;  // the box's has a loopback interface, and on it the listener of launch_answer
    std::vector<tcp_relay> relays = {};

    bool operator==(const launch_request&) const = default;
};

// On 127.0.0.1 of a network namespace: whoever accepts from this listener is what the box has of the network.
constexpr std::uint16_t proxy_port = 3128;

// Comes with that listener where own_network was asked for.
struct launch_answer {
    std::string id;
    std::int32_t pid = 0;       // the kernel, in the gateway's pid namespace; 0 when it failed
    std::int32_t init_pid = 0;  // pid 1 of its box: killing it ends everything inside
    std::string error;

    bool operator==(const launch_answer&) const = default;
};

struct exit_notice {
    std::string id;
    int status = 0;    // as of waitpid: of the kernel, not of its init
    bool oom = false;  // it was killed, and memory had run out in its box

    bool operator==(const exit_notice&) const = default;
};

// One for each signal_command of a kernel that lives: what is sent to the kernel from now on comes after the signal.
struct signal_notice {
    std::string id;

    bool operator==(const signal_notice&) const = default;
};

struct signal_command {
    std::string id;
    int number = 0;  // goes to the kernel's process group

    bool operator==(const signal_command&) const = default;
};

struct kill_command {
    std::string id;  // also of a kernel that is still being launched

    bool operator==(const kill_command&) const = default;
};

// Other limits for a kernel that lives. Has no reply.
struct limit_command {
    std::string id;
    box_limits limits;

    bool operator==(const limit_command&) const = default;
};

// What of box_limits this machine lets the launcher enforce, and what keeps boxes besides; told once, before anything
// else.
struct limits_notice {
    bool cpu = false;
    bool memory = false;
    bool pids = false;
    std::string reason;            // why not all
    std::string no_landlock = {};  // why boxes have no second wall (kernel/sandbox/file_wall.hpp); empty: they have

    bool operator==(const limits_notice&) const = default;
};

// Starts a zygote ahead of the first launch that needs it. Has no reply.
struct prepare_command {
    zygote_command zygote;

    bool operator==(const prepare_command&) const = default;
};

// A program in the box of a kernel that lives, beside it, as the leader of a process group of its own. Comes with three
// descriptors: what it has as stdin, stdout and stderr.
struct run_request {
    std::string id;                          // chosen by the gateway, unique among those that run
    std::string box;                         // id of the launch_request
    std::vector<std::string> argv;           // argv[0] is looked up in the PATH of `env`, unless it has a slash
    std::map<std::string, std::string> env;  // the whole environment
    std::string working_dir;                 // an absolute path inside the box

    bool operator==(const run_request&) const = default;
};

struct run_answer {
    std::string id;
    std::int32_t pid = 0;  // in the gateway's pid namespace; 0 when it failed
    std::string error;
    bool box_ended = false;  // it failed because its box has ended or does so now

    bool operator==(const run_answer&) const = default;
};

// Goes to the process group, while its leader lives.
struct run_signal {
    std::string id;
    int number = 0;
    bool sweep = false;  // and what is left in the group when the leader ends is killed

    bool operator==(const run_signal&) const = default;
};

struct run_end {
    std::string id;
    int status = 0;          // as of waitpid
    bool box_ended = false;  // which is why it did

    bool operator==(const run_end&) const = default;
};

// What a launcher says that is started with "check" (main.cpp), one a text, and ends.
enum class finding_state : std::int32_t { present, missing };
struct finding {
    std::string subject;
    finding_state state = finding_state::present;
    std::string text;

    bool operator==(const finding&) const = default;
};

using command =
    std::variant<launch_request, signal_command, kill_command, prepare_command, run_request, run_signal, limit_command>;
// A launch has exactly one launch_answer; one that succeeded is followed, in the end, by exactly one exit_notice. A
// run has a run_answer and a run_end in the same way; all run_ends of a box come before its exit_notice.
using reply = std::variant<launch_answer, exit_notice, signal_notice, run_answer, run_end, limits_notice>;

}  // namespace kernel
