#include "gateway/server/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "gateway/base/log.hpp"

namespace gateway::server {

// Two hundred kernels are two thousand descriptors.
std::uint64_t raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) < 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max;
}

std::int64_t fit_connections(std::int64_t wanted, std::uint64_t descriptors) {
    const auto half = std::min<std::uint64_t>(descriptors / 2, std::numeric_limits<std::int64_t>::max());
    const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(half));
    if (wanted <= most) return wanted;
    log::warning(
        "server.max_connections is {}, but this machine lets a process have {} descriptors (ulimit -Hn, or "
        "LimitNOFILE of the service): {} connections are served at once",
        wanted, descriptors, most);
    return most;
}

}  // namespace gateway::server
