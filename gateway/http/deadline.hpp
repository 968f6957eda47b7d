// A bound on what a connection waits for: past it the socket's operations are cancelled. Cheaper than with_timeout,
// which starts a coroutine each time. Owned by a connection; io thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "gateway/base/async.hpp"

namespace gateway::http {

class deadline {
  public:
    // `expire` cancels the operations that wait. The object must be told to stop before what `expire` uses goes.
    deadline(executor ex, std::function<void()> expire);
    ~deadline();

    void start(milliseconds limit);
    void stop();
    bool expired() const;  // since the last start()

  private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace gateway::http
