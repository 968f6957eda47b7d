// What all calls of one service came to since the gateway started, for /metrics. Owned by the service; io thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "gateway/base/async.hpp"
#include "gateway/base/result.hpp"
#include "gateway/tools/meter.hpp"

namespace gateway::tools {

struct service_totals {
    std::map<std::string, std::uint64_t> calls;  // by how they ended: "ok", "cancelled", or an error's code
    std::uint64_t running = 0;
    token_count tokens;
};

// A call while it is made. It counts as cancelled unless it says how it ended.
class counted_call {
  public:
    explicit counted_call(service_totals& in) : totals_(in) { ++totals_.running; }
    counted_call(const counted_call&) = delete;
    counted_call& operator=(const counted_call&) = delete;
    ~counted_call() {
        --totals_.running;
        ++totals_.calls[ended_];
    }

    template <class T>
    void end(const result<T>& how) {
        ended_ = how ? "ok" : to_string(how.error().code);
    }

  private:
    service_totals& totals_;
    std::string ended_ = "cancelled";
};

// The call itself, ended at `limit` (with_timeout), with how it ended counted. A caller that goes away cancels it.
template <class T>
awaitable<result<T>> run_counted(service_totals& in, awaitable<result<T>> work, milliseconds limit,
                                 std::string limit_name) {
    counted_call call(in);
    auto answer = co_await with_timeout(std::move(work), limit, limit_name);
    auto state = co_await asio::this_coro::cancellation_state;
    if (!answer && state.cancelled() != asio::cancellation_type::none)
        co_return failure{errc::cancelled, "the call was cancelled"};
    call.end(answer);
    co_return answer;
}

}  // namespace gateway::tools
