// A box with a kernel in it, as the launcher sees it. A resource: when it goes, everything inside is killed and reaped.
// The launcher is single-threaded; nothing here waits but reap() and the destructor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/box_user.hpp"
#include "kernel/sandbox/control_group.hpp"
#include "kernel/sandbox/namespaces.hpp"
#include "kernel/sandbox/report.hpp"

namespace kernel {

// Throw box_error that names the field which no box can be made of, or no zygote.
void check(const launch_request& what);
void check(const zygote_command& what);
void check(const run_request& what);
void check(const box_limits& what);

class box {
  public:
    // Returns when init was forked; receive() tells what became of it. `output` is copied. `in_child` is called in what
    // becomes init, which is in `group` by then, and leaves `what` alone. `user` is null where the box is an ordinary
    // user's. Throws box_error.
    static box make(const launch_request& what, const isolation& how, std::shared_ptr<const box_user> user, int output,
                    const control_group& group, const std::function<void()>& in_child);
    box(box&&) noexcept = default;
    box& operator=(box&&) noexcept;
    ~box();

    const box_user* user() const { return user_.get(); }
    const file_descriptor& wall() const { return wall_; }  // file_wall.hpp; there when the kernel is asked for, or runs
    int reports() const { return reports_.get(); }         // readable: call receive()
    int end() const { return pidfd_.get(); }               // readable: nothing lives inside any more, call reap()
    bool is_empty() const;                                 // the same, asked now
    bool is_ending() const;                                // init is about to go, or has gone
    void receive();
    void reap();

    // Of a box whose kernel a zygote forks: it is assembled, and the kernel's end of the report socket was not taken
    // yet.
    bool waits_for_kernel() const { return assembled_ && kernels_end_; }
    file_descriptor take_kernels_end() { return std::move(kernels_end_); }
    // The same: told by whoever is the kernel's parent. Kills what is left inside.
    void kernel_ended(int status);

    bool runs() const { return runs_; }
    // The listener of its network, if that is its own. Once, when the kernel runs.
    file_descriptor take_proxy_listener() { return std::move(proxy_listener_); }
    int init_pid() const { return init_; }
    int kernel_pid() const { return kernel_; }
    // After reap(): why it never ran (empty when it did), and waitpid's status of the kernel.
    const std::string& error() const { return error_; }
    int status() const { return status_; }

    void signal(int number);  // to the kernel's process group
    // How many of these were sent since it was asked last.
    int take_signals_sent() { return std::exchange(signals_sent_, 0); }
    void kill();

  private:
    box() = default;
    void tell_init(report_kind kind, int value);

    std::shared_ptr<const box_user> user_;
    file_descriptor pidfd_;
    file_descriptor reports_;
    file_descriptor kernels_end_;
    file_descriptor wall_;
    file_descriptor proxy_listener_;
    int init_ = 0;
    int kernel_ = 0;
    int status_ = 9;  // what waitpid says of a kernel that was killed with its init
    int signals_sent_ = 0;
    bool forked_ = false;  // by a zygote
    bool assembled_ = false;
    bool kernel_ended_ = false;
    bool runs_ = false;
    std::string error_;
};

}  // namespace kernel
