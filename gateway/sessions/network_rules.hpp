// Which sessions have a network of their own, and what they may reach where they do not say it themselves. A value; any
// thread.
#pragma once

#include <functional>

#include "gateway/base/result.hpp"
#include "gateway/egress/options.hpp"
#include "gateway/egress/policy.hpp"
#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

struct network_rules {
    bool agents_have_own = false;
    bool jupyter_has_own = false;
    egress::policy usual = {};
    egress::options limits = {};                        // names are `make_resolver`'s
    std::function<outbound::resolver()> make_resolver;  // one for each session; none: the system's

    bool has_own(origin who) const { return who == origin::jupyter ? jupyter_has_own : agents_have_own; }
};

// Why a policy is refused for a session that is in the machine's network.
failure no_own_network(origin who);

}  // namespace gateway::sessions
