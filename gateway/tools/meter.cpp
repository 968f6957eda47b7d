#include "gateway/tools/meter.hpp"

#include <string>

namespace gateway::tools {
namespace {

failure used_up(const usage_limits& bounds, const char* setting, std::uint64_t limit, const char* of_what) {
    return {errc::limit_reached, "this session has used its " + std::to_string(limit) + " " + of_what + " (" +
                                     bounds.section + "." + setting +
                                     "): go on in a new session, or ask whoever runs the gateway for more"};
}

}  // namespace

meter::turn::~turn() {
    if (!of_) return;
    --of_->running_;
    of_->freed_.notify_all();
}

awaitable<result<meter::turn>> meter::begin(usage_limits bounds) {
    while (true) {
        if (auto is_left = check(bounds); !is_left) co_return is_left.error();
        if (bounds.concurrent == 0 || running_ < bounds.concurrent) break;
        co_await freed_.wait();
    }
    ++calls_;
    turn made(*this);
    co_return made;
}

void meter::add(const token_count& used) {
    tokens_.prompt += used.prompt;
    tokens_.completion += used.completion;
}

void meter::restore(std::uint64_t calls, const token_count& used) {
    calls_ = calls;
    tokens_ = used;
}

result<void> meter::check(const usage_limits& bounds) const {
    if (bounds.calls > 0 && calls_ >= bounds.calls)
        return used_up(bounds, "max_calls_per_session", bounds.calls, "calls");
    if (bounds.tokens > 0 && tokens_.total() >= bounds.tokens)
        return used_up(bounds, "max_tokens_per_session", bounds.tokens, "tokens");
    return {};
}

}  // namespace gateway::tools
