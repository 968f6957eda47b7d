#include "gateway/sessions/memory_text.hpp"

#include <fmt/format.h>

namespace gateway::sessions {

std::string memory_text(const sandbox_sizes& all, const sandbox_size& of, const std::string& session_id) {
    const double megabytes = static_cast<double>(of.memory_bytes) / (1 << 20);
    auto text = fmt::format(
        "the kernel used more memory than its sandbox has ({:.0f} MiB, sizes.{}.memory_bytes); its files are kept",
        megabytes, of.name);
    const auto* larger = all.larger_than(of);
    if (!larger) return text + "; work in smaller pieces, or raise that setting";
    return text + fmt::format(
                      "; work in smaller pieces, or take a larger sandbox with PATCH /api/v1/sessions/{} "
                      "{{\"sandbox\":{{\"sandbox_size\":\"{}\"}}}}",
                      session_id, larger->name);
}

}  // namespace gateway::sessions
