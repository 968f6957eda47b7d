// The registry behind registry.hpp: makes sessions out of directories, a kernelspec and a kernel, and ends them by its
// rules. Owned by main; io thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "gateway/kernels/pool.hpp"
#include "gateway/sessions/live_session.hpp"
#include "gateway/sessions/registry.hpp"
#include "mounts/named_mounts.hpp"
#include "mounts/session_directories.hpp"
#include "mounts/work_roots.hpp"

namespace gateway::sessions {

// What the registry builds with. The references outlive it.
struct registry_parts {
    executor ex;
    asio::thread_pool& pool;
    kernels::kernel_environment& kernels;
    kernels::kernelspec_store& specs;
    log_budget& budget;
    session_limits limits = {};
    registry_limits bounds = {};
    culling_rules culling = {};
    std::uint64_t kept_cells_bytes = 4u << 20;  // of a session's cells, over the gateway's end
    std::string data_dir = {};
    std::string limited_dir = {};  // for sessions' files, with limits; empty: they have none
    bool keep_files = false;
    std::vector<std::string> work_roots = {};
    std::vector<mounts::named_mount> named_mounts = {};
    std::string default_kernel = kernels::own_kernel;
    std::string force_kernel = {};
    std::vector<kernels::pool_size> warm = {};
    network_rules network = {};
    std::string preload_metadata = "{}";  // kernels::kernel_options::preload_metadata
};

class live_registry final : public registry {
  public:
    explicit live_registry(registry_parts parts);
    ~live_registry() override;
    // Goes on with the sessions that an earlier run left, clears what else is there of it, and starts culling. Once,
    // before create(); io_error says what to set.
    result<void> start();

    awaitable<result<std::shared_ptr<session>>> create(session_options options) override;
    awaitable<result<void>> change(std::string session_id, session_change what) override;
    std::shared_ptr<session> find(const std::string& id) const override;
    std::shared_ptr<session> find_by_name(const std::string& user_id, const std::string& name) const override;
    std::shared_ptr<session> find_by_helper_key(const std::string& key) const override;
    std::vector<std::shared_ptr<session>> list() const override;
    std::optional<kernel_entry> find_kernel(const std::string& kernel_id) const override;
    std::vector<kernel_entry> kernels() const override;
    std::string tombstone(const std::string& kernel_id) const override;
    result<alias> attach(const std::string& session_id, const std::string& user_id) override;
    void detach(const std::string& alias_id) override;
    awaitable<result<void>> remove(std::string session_id, kernels::end_reason why) override;
    awaitable<void> stop() override;
    kernels::kernelspec_store& specs() override { return parts_.specs; }
    const std::string& default_kernel() const override { return parts_.specs.default_name(parts_.default_kernel); }

  private:
    result<void> admit(const session_options& options) const;
    // live_registry_setup.cpp: what a session is made of.
    result<session_parts> prepare(const std::string& id, const session_options& options,
                                  const kernels::kernelspec& spec);
    result<void> open_directories();
    session_parts parts_for(const std::string& id, session_options options) const;
    // live_registry_revival.cpp
    result<void> revive_sessions();
    void revive(loaded_session earlier);
    result<void> clear_leftovers(const std::set<std::string>& kept, const std::set<std::string>& ended);
    bool has_expired(const kept_session& which) const;
    awaitable<void> keep_forever();
    result<std::shared_ptr<live_session>> make(session_options options);
    // Options for a kernel with directories of its own, which are named by its id.
    void place_files(session_parts& made, const mounts::session_paths& paths) const;
    result<void> limit_files(session_parts& made) const;
    result<void> limit_files(const std::string& directory, const sandbox_size& size) const;
    void furnish(kernels::kernel_options& made, const mounts::session_paths& with,
                 const asked_settings& settings) const;
    result<kernels::kernel_options> make_kernel(const kernels::kernelspec& spec, std::string kernel_id,
                                                bool own_network) const;
    std::optional<kernels::pooled_kernel> take_warm(const session_options& options, const kernels::kernelspec& spec);
    void prepare_zygotes();
    void start_warm_pool();
    void remove_directories_later(const std::string& directory);
    awaitable<void> remove_directories(std::string directory);
    void bury(const std::string& kernel_id, kernels::end_reason why);
    awaitable<void> cull_forever();
    void cull_once(std::chrono::steady_clock::time_point now);
    std::optional<kernels::end_reason> should_end(const session& which) const;
    void drop_idle_aliases(std::chrono::steady_clock::time_point now);

    registry_parts parts_;
    std::optional<mounts::session_directories> directories_;
    std::unique_ptr<session_store> store_;  // both from start() on
    std::unique_ptr<session_keeper> keeper_;
    std::unique_ptr<kernels::pool> warm_;
    mounts::work_roots roots_;
    std::vector<::kernel::bind_mount> named_mounts_;
    std::map<std::string, std::shared_ptr<live_session>> sessions_;
    std::unordered_map<std::string, alias> aliases_;  // by kernel id
    std::unordered_map<std::string, std::string> tombstones_;
    std::deque<std::string> buried_;
    std::set<std::string> changing_;  // ids of sessions
    bool stopping_ = false;
    task_group tasks_;
};

}  // namespace gateway::sessions
