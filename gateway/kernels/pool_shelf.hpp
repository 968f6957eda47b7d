// A shelf of the pool: the ready kernels of one kernelspec, and when the next may be started. io thread.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "gateway/kernels/environment_stamp.hpp"
#include "gateway/kernels/pool.hpp"

namespace gateway::kernels {

using pool_clock = std::chrono::steady_clock;

// One kernel of the pool, from its start until it is taken or ended.
class pool_slot final : public kernel_listener {
  public:
    pool_slot(kernel_environment& shared, kernel_options options, std::function<void(pool_slot&)> lost);

    void on_message(messaging::shared_message what) override;
    // A kernel that died is not kept, although it restarts by itself.
    void on_state(kernel_state state, end_reason reason) override;

    kernel_options options;
    environment_stamp environment;  // before the start
    std::unique_ptr<kernel> running;

  private:
    std::function<void(pool_slot&)> lost_;
};

// Whether `env` can be made of `current` after the process has started.
bool can_change_later(const std::map<std::string, std::string>& current, const std::map<std::string, std::string>& env);

class pool_shelf {
  public:
    pool_shelf(pool_size what, const pool_settings& settings);

    const std::string& spec_name() const { return what_.spec_name; }
    bool own_network() const { return what_.own_network; }
    std::size_t ready() const { return slots_.size(); }
    bool lacks() const { return slots_.size() + starting_ < static_cast<std::size_t>(what_.count); }
    pool_clock::time_point next_start() const { return next_start_; }

    // A start has begun; it ends before put() or failed().
    void start_began() { ++starting_; }
    void start_ended() { --starting_; }
    void put(std::shared_ptr<pool_slot> slot);
    // Null when it is not here.
    std::shared_ptr<pool_slot> remove(const pool_slot& which);
    // The first that fits, the oldest first. Those of a spec or an environment that has changed since are moved to
    // `stale`.
    std::shared_ptr<pool_slot> take(const pool_wish& wish, const kernelspec& spec,
                                    std::list<std::shared_ptr<pool_slot>>& stale);
    std::list<std::shared_ptr<pool_slot>> take_all();

    void was_taken(pool_clock::time_point now, milliseconds settle);
    // A kernel failed or died: the next one waits, longer each time in a row. Those that were started together fail
    // once.
    void failed(pool_clock::time_point now);

  private:
    pool_size what_;
    milliseconds first_backoff_;
    milliseconds longest_backoff_;
    std::list<std::shared_ptr<pool_slot>> slots_;
    std::size_t starting_ = 0;
    milliseconds backoff_{0};  // of the last failure
    pool_clock::time_point last_failure_;
    pool_clock::time_point next_start_;
};

}  // namespace gateway::kernels
