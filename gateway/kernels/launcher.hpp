// The gateway's end of the launcher process. Owned by main; io thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gateway/base/async.hpp"
#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/protocol.hpp"

namespace gateway::kernels {

// A kernel's process and its box, alive until on_exit was called.
struct process {
    std::string id;
    int pid = 0;
    int init_pid = 0;
    // Of its network, where that is its own (kernel/launcher/protocol.hpp); null otherwise, and once it was taken.
    std::shared_ptr<::kernel::file_descriptor> proxy_listener = nullptr;
};

// How a kernel has ended.
struct process_end {
    int status = 0;    // as of waitpid
    bool oom = false;  // its box had run out of memory
};

// How a program beside a kernel has ended.
struct program_end {
    int status = 0;          // as of waitpid
    bool box_ended = false;  // with the kernel and everything else: that is why it did
};

using program_files = std::array<::kernel::file_descriptor, 3>;  // stdin, stdout, stderr, as the program has them

class launcher {
  public:
    virtual ~launcher() = default;
    // Starts a fork server ahead of the first launch that needs it.
    virtual void prepare(kernel::zygote_command which) = 0;
    // Starts a process in a new box; `on_exit` is called once, when the kernel has ended and its box is empty. A
    // failure says what could not be done (kernel_start_failed).
    virtual awaitable<result<process>> launch(kernel::launch_request what,
                                              std::function<void(process_end)> on_exit) = 0;
    // To the kernel's process group.
    virtual void signal(const process& which, int number) = 0;
    // Once every signal() until now has reached the kernel, or it has ended; within a second in any case.
    virtual awaitable<void> delivered(process which) = 0;
    // What its box may use from now on.
    virtual void limit(const process& which, const ::kernel::box_limits& limits) = 0;
    // Kills the kernel and everything it started; on_exit follows.
    virtual void kill(const process& which) = 0;

    // Starts a program in the box of a kernel that runs (`what.box` is its process's id). `on_end` is called once, also
    // when what it started lives on. invalid_request says why it cannot be started.
    virtual awaitable<result<void>> run(::kernel::run_request what, program_files files,
                                        std::function<void(program_end)> on_end) = 0;
    // To the process group of the program, until it has ended. `sweep`: what is left in the group then is killed.
    virtual void signal_run(const std::string& id, int number, bool sweep) = 0;
};

// How boxes are made.
struct box_settings {
    bool confined = true;  // what runs in one has no rights of its own (docs/security.md)
    // User and group ids of the host that belong to nobody: a launcher that runs as root gives each box one.
    std::int64_t first_uid = 2'000'000'000;
    std::int64_t uid_count = 65'536;
};

// Starts `program` (the cellgate-launcher executable) as a child. Call before any thread exists.
// When the gateway dies, the launcher sees its socket close and kills every box.
class launcher_process {
  public:
    static result<launcher_process> start(const std::string& program, box_settings boxes = {});
    launcher_process(launcher_process&&) noexcept;
    launcher_process& operator=(launcher_process&&) noexcept;
    ~launcher_process();

    // What of box_limits it can enforce on this machine: the first that it says. Before connect(); waits for it, within
    // seconds. kernel_start_failed when it does not say it.
    result<::kernel::limits_notice> limits();

    // The client over that process's socket; once. `on_lost` is called when the process ends by itself, before any
    // kernel's on_exit: every box dies with it, and no other launcher can be started once there are threads.
    std::unique_ptr<launcher> connect(executor ex, std::function<void()> on_lost = {});

  private:
    struct implementation;
    explicit launcher_process(std::unique_ptr<implementation> made);
    std::unique_ptr<implementation> implementation_;
};

}  // namespace gateway::kernels
