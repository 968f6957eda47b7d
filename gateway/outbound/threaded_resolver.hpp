// The system's names, asked for on threads. getaddrinfo blocks, and asio has one thread for all of it: whoever asks for
// names whose servers do not answer would hold up everybody. io thread, but for the look-ups themselves.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <functional>

#include "gateway/outbound/lookup.hpp"

namespace gateway::outbound {

using blocking_lookup = std::function<result<addresses>(const std::string& name)>;

// getaddrinfo; unavailable.
result<addresses> system_lookup(const std::string& name);

// A resolver that has at most `most_at_once` look-ups on `pool`, also of those whose caller has gone; others wait. Each
// user of a pool has one, so that none takes all threads. `pool` outlives `ex`'s look-ups.
resolver make_threaded_resolver(executor ex, asio::thread_pool& pool, std::size_t most_at_once,
                                blocking_lookup by = system_lookup);

}  // namespace gateway::outbound
