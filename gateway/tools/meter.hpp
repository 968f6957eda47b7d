// What one session has used of a service that costs something, and its turn when only so many calls may run at once.
// Owned by the session, shared with the calls that run; io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "gateway/base/async.hpp"

namespace gateway::tools {

struct token_count {
    std::uint64_t prompt = 0;
    std::uint64_t completion = 0;

    std::uint64_t total() const { return prompt + completion; }
    bool operator==(const token_count&) const = default;
};

// Of one session; 0: no limit. The settings are SECTION.max_calls_per_session and so on.
struct usage_limits {
    const char* section = "llm";
    std::uint64_t calls = 0;
    std::uint64_t tokens = 0;
    std::uint64_t concurrent = 0;
};

class meter {
  public:
    explicit meter(executor ex) : freed_(std::move(ex)) {}
    meter(const meter&) = delete;
    meter& operator=(const meter&) = delete;

    // A call's place among those that run, given back when it goes. The meter outlives it.
    class turn {
      public:
        turn() = default;  // no place
        explicit turn(meter& of) : of_(&of) { ++of.running_; }
        turn(turn&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        turn& operator=(turn&&) = delete;
        ~turn();

      private:
        meter* of_ = nullptr;
    };

    // Counts a call. Waits while too many run; limit_reached, with the setting's name, when none is left. What the
    // calls that run will use is not known: they may go over the limit of tokens, and then no other begins.
    awaitable<result<turn>> begin(usage_limits bounds);
    void add(const token_count& used);
    // Counts on from what an earlier gateway counted.
    void restore(std::uint64_t calls, const token_count& used);

    std::uint64_t calls() const { return calls_; }
    const token_count& tokens() const { return tokens_; }
    std::uint64_t running() const { return running_; }

  private:
    result<void> check(const usage_limits& bounds) const;

    event freed_;
    std::uint64_t calls_ = 0;
    std::uint64_t running_ = 0;
    token_count tokens_;
};

// The meters of one session.
struct meters {
    explicit meters(executor ex) : model(ex), search(ex), proxy(ex) {}

    meter model;
    meter search;
    meter proxy;  // calls of connected accounts
};
using shared_meters = std::shared_ptr<meters>;

}  // namespace gateway::tools
