// Requests on stdin on their way to clients. A client whose request has come may be connecting its stdin still, and a
// router drops what is for a peer that it does not know: a question is offered until its client's connection takes it.
// Any thread adds and withdraws; the io thread offers.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "messaging/message.hpp"

namespace kernel {

class question_queue {
  public:
    using clock = std::chrono::steady_clock;

    void add(messaging::message what, clock::time_point now);
    // Nobody waits for the answer any more: what was not taken is not offered again.
    void withdraw(std::string_view msg_id);
    // Calls `take` with each that is due, and forgets those for which it is true. The others are due again after as
    // long as they have waited, but after 10 ms at the earliest and a second at the latest.
    void offer(clock::time_point now, const std::function<bool(const messaging::message&)>& take);
    // When there is something to offer; nothing when nothing waits.
    std::optional<clock::time_point> due() const;

  private:
    struct question {
        messaging::message what;
        std::string id;
        clock::time_point since;
        clock::time_point due;
    };

    mutable std::mutex mutex_;
    std::list<question> waiting_;
};

}  // namespace kernel
