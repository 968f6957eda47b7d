// From a destination to a connected socket: one look-up, each address checked, and the checked address connected to, so
// that a name cannot mean another a moment later. io thread.
#pragma once

#include "gateway/egress/destination.hpp"
#include "gateway/egress/options.hpp"
#include "gateway/egress/socket.hpp"

namespace gateway::egress {

// Tries in order the addresses that may be reached. forbidden when there is none such; unavailable, timeout.
// Closing `into` ends it.
awaitable<result<void>> dial(executor ex, const options& how, destination to, socket& into);

}  // namespace gateway::egress
