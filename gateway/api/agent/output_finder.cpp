#include "gateway/api/agent/output_finder.hpp"

#include <algorithm>

namespace gateway::api::agent {
namespace {

constexpr std::size_t window_bytes = 128u << 10;

}  // namespace

awaitable<sessions::shared_entry> output_finder::find(std::uint64_t seq, std::uint64_t until_seq) {
    bool inside = !window_.empty() && window_.front()->seq <= seq && seq <= window_.back()->seq;
    if (!inside) window_ = co_await session_->log().read(seq - 1, std::max(seq, until_seq), window_bytes);
    auto found = std::lower_bound(window_.begin(), window_.end(), seq,
                                  [](const auto& each, std::uint64_t wanted) { return each->seq < wanted; });
    bool kept = found != window_.end() && (*found)->seq == seq && (*found)->kind == sessions::entry_kind::message;
    co_return kept ? *found : nullptr;
}

}  // namespace gateway::api::agent
