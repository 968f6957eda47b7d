// A launcher for tests: its processes are fake_kernels on threads of this one. io thread.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/kernels/launcher.hpp"
#include "tests/support/fake_kernel.hpp"

namespace gateway::kernels {

class fake_launcher final : public launcher {
  public:
    enum class behaviour {
        runs,         // a fake_kernel that ends when it is asked to
        exits,        // ends at once with exit status 1, having written a line
        exits_early,  // the same, and its exit is reported before the launch is answered
        is_silent,    // lives, but has no sockets
        is_refused,   // no process
        hangs,        // no answer before release()
    };
    struct child {
        ::kernel::launch_request request;
        process known;
        std::function<void(process_end)> on_exit;
        std::unique_ptr<test_support::fake_kernel> kernel;
        std::vector<int> signals;
        std::vector<::kernel::box_limits> limits;  // later ones
        bool killed = false;
        bool ended = false;
    };

    explicit fake_launcher(executor ex) : ex_(ex), released_(ex) {}

    // What the next `count` launches do; then they run again.
    void next(behaviour how, int count = 1);
    // Called with every fake_kernel before it is reached.
    std::function<void(test_support::fake_kernel&)> prepare_kernel;

    // Another path of the directory that is /run/k in the box, for the fake_kernel to bind in.
    std::function<std::string(std::string)> place;

    child& latest() { return children_.back(); }
    std::list<child>& children() { return children_; }
    std::size_t alive() const;
    test_support::fake_kernel& kernel() { return *latest().kernel; }
    // The process is gone. With `late` output its sockets still hold what it sent, as those of the kernel would.
    void end(child& which, int status, bool late = false) { end(which, process_end{status, false}, late); }
    void end(child& which, process_end how, bool late = false);
    void release();

    std::vector<::kernel::zygote_command> prepared;

    void prepare(::kernel::zygote_command which) override { prepared.push_back(std::move(which)); }
    awaitable<result<process>> launch(::kernel::launch_request what, std::function<void(process_end)> on_exit) override;
    void signal(const process& which, int number) override;
    awaitable<void> delivered(process) override { co_return; }
    void limit(const process& which, const ::kernel::box_limits& limits) override;
    void kill(const process& which) override;
    awaitable<result<void>> run(::kernel::run_request what, program_files files,
                                std::function<void(program_end)> on_end) override;
    void signal_run(const std::string& id, int number, bool sweep) override;

    // A program beside a kernel: it does what the test does in its place.
    struct program {
        ::kernel::run_request request;
        program_files files;
        std::function<void(program_end)> on_end;
        std::vector<std::pair<int, bool>> signals;  // with their sweep
    };
    std::list<program> programs;
    std::optional<failure> refuse_programs;  // with this

  private:
    child* find(const std::string& id);
    void run_kernel(child& which);
    behaviour take_behaviour();

    executor ex_;
    event released_;
    std::deque<behaviour> script_;
    std::list<child> children_;
    int next_pid_ = 100;
};

}  // namespace gateway::kernels
