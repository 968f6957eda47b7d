// What the connections of one session's proxy share. Owned by the proxy and its connections; io thread.
#pragma once

#include <functional>
#include <set>

#include "gateway/base/async.hpp"
#include "gateway/egress/meter.hpp"
#include "gateway/egress/options.hpp"
#include "gateway/egress/policy.hpp"

namespace gateway::egress {

class connection;

struct shared_state {
    // At the ceiling every connection stops reading, and then `tell` is told.
    shared_state(executor on, policy by, options limits, meter_events tell);

    // Connections may end while they are visited.
    void for_each(const std::function<void(connection&)>& visit);

    executor ex;
    policy what;
    options how;
    std::set<connection*> connections;
    meter counted;
    task_group tasks;
};

}  // namespace gateway::egress
