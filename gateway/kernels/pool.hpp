// Kernels that were started ahead, so that a session finds one ready. Owned by main; io thread.
//
// For every kernelspec that the settings name, a number of kernels with default options is kept. Each has an id, a
// helper key and directories of its own from the beginning; the session that takes one takes these over. Shelves are
// refilled after the sessions' own starts have had their turn: kernels that are executed one at a time, as each takes a
// processor for a second, those that are forked a few at once. What fails or dies is replaced, ever later.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/kernels/kernel.hpp"

namespace gateway::kernels {

// So many ready kernels of a kernelspec, in networks of their own or in the machine's.
struct pool_size {
    std::string spec_name;
    int count = 0;
    bool own_network = false;
};

struct pool_settings {
    std::vector<pool_size> sizes;
    milliseconds settle{250};           // no start of ours for so long after one was taken
    milliseconds settle_forked{10};     // the same for kernels that are forked
    std::size_t forked_at_once = 4;     // while one is forked, others make their boxes and import the helpers
    milliseconds first_backoff{1'000};  // after a failure; doubled by the next ones
    milliseconds longest_backoff{60'000};
};

// What a session would start. A kernel with an id of the client's choice, or with mounts besides its session's own,
// must be started by itself.
struct pool_wish {
    std::string spec_name;
    std::map<std::string, std::string> env;
    std::string working_dir = "/home/user";
    bool own_network = false;
};

struct pooled_kernel {
    std::unique_ptr<kernel> running;  // idle; tells nobody anything until set_listener()
    kernel_options options;           // as it was started: configure() it when its session wants something else
};

class pool {
  public:
    // Options for one kernel of `spec`: fresh id, helper key, directories, and that network.
    using make_options = std::function<result<kernel_options>(const kernelspec& spec, bool own_network)>;
    // The directories of a kernel that no session took are not needed any more; its processes are gone.
    using discard = std::function<void(const kernel_options& options)>;

    pool(kernel_environment& shared, kernelspec_store& specs, pool_settings settings, make_options make, discard drop);
    ~pool();  // kills what is left, without waiting and without discarding
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    void start();
    // A ready kernel that fits: of the spec as it is now (by whichever of its names), forked from what is on disk now,
    // with that working directory and network, and whose environment is the wished one or can be made so by a message
    // (Python, and nothing that only counts when a process starts). Nothing when there is none; the kernel must not
    // outlive the pool before it has a listener.
    std::optional<pooled_kernel> take(const pool_wish& wish);
    // Ends every kernel; nothing is taken or started afterwards.
    awaitable<void> stop();

    std::size_t ready(const std::string& spec_name) const;

  private:
    struct implementation;
    std::shared_ptr<implementation> implementation_;
};

}  // namespace gateway::kernels
