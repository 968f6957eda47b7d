// All sessions of the gateway, by id, name and kernel id; the aliases through which JupyterLab enters them; limits and
// culling. Owned by main; io thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/sessions/session.hpp"
#include "gateway/sessions/session_change.hpp"

namespace gateway::sessions {

struct culling_rules {
    milliseconds idle{0};              // 0: off. Kernels that Jupyter clients started, unconnected, idle for this long
    milliseconds busy{0};              // 0: off. Busy without a pause for this long, connected or not
    bool connected = false;            // idle rule also with clients connected
    bool busy_counts_as_idle = false;  // idle rule also while a cell runs without output
    milliseconds interval{30'000};
};

struct registry_limits {
    std::size_t max_kernels = 0;  // 0: no limit; aliases and pool kernels do not count
    std::size_t max_kernels_per_user = 0;
    milliseconds alias_idle{300'000};
    milliseconds idle_timeout{0};  // of agent sessions, when they name none; 0: never
    milliseconds lifetime{0};
};

// A Jupyter kernel id that stands for a session which something else started.
struct alias {
    std::string kernel_id;
    std::string spec_name;  // "attach-ses_…"
    std::string session_id;
    std::string user_id;
    wall_clock::time_point created_at;
    std::chrono::steady_clock::time_point unconnected_since;
};

// What a kernel id stands for.
struct kernel_entry {
    std::shared_ptr<session> owner;
    std::optional<alias> through;  // set when the id is an alias's
    bool listed = true;            // in GET /api/kernels: false for the own id of an agent's session
    const std::string& kernel_id() const { return through ? through->kernel_id : owner->kernel_id(); }
};

class registry {
  public:
    virtual ~registry() = default;

    // Makes the session at once, state starting (or from the warm pool, idle); its kernel starts in the background.
    // An agent's is written down before the answer: it outlives the gateway. name_taken, kernelspec_not_found,
    // limit_reached (the message names the setting), conflict (kernel_id in use), io_error (the disk refused).
    virtual awaitable<result<std::shared_ptr<session>>> create(session_options options) = 0;

    // Written down before the answer. Another size is another kernel, in the same files; without a sandbox there is
    // none. session_not_found, name_taken, invalid_request, conflict (another change is under way), io_error.
    virtual awaitable<result<void>> change(std::string session_id, session_change what) = 0;

    virtual std::shared_ptr<session> find(const std::string& id) const = 0;  // null when unknown
    virtual std::shared_ptr<session> find_by_name(const std::string& user_id, const std::string& name) const = 0;
    virtual std::shared_ptr<session> find_by_helper_key(const std::string& key) const = 0;  // constant time per key
    virtual std::vector<std::shared_ptr<session>> list() const = 0;                         // by created_at, then id

    virtual std::optional<kernel_entry> find_kernel(const std::string& kernel_id) const = 0;
    virtual std::vector<kernel_entry> kernels() const = 0;
    // Why a kernel id that was known is gone ("culled", …); empty when it never was. The last 1,000 are remembered.
    virtual std::string tombstone(const std::string& kernel_id) const = 0;

    virtual result<alias> attach(const std::string& session_id, const std::string& user_id) = 0;
    virtual void detach(const std::string& alias_id) = 0;

    // Ends the session for good: kernel, log, directories (unless keep_files), and what is written down of it; its
    // aliases with it.
    virtual awaitable<result<void>> remove(std::string session_id, kernels::end_reason why) = 0;
    // Ends all kernels, at most 10 s; agents' sessions are there again when the gateway is.
    virtual awaitable<void> stop() = 0;

    virtual kernels::kernelspec_store& specs() = 0;
    virtual const std::string& default_kernel() const = 0;  // of a session that names none
};

}  // namespace gateway::sessions
