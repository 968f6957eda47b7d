#include "gateway/api/agent/event_filter.hpp"

#include <algorithm>
#include <utility>

#include "gateway/api/agent/notification.hpp"

namespace gateway::api::agent {

bool event_filter::wants(const sessions::entry& what) const {
    if (!is_for_agents(what)) return false;
    if (what.seq > all_after_) return true;
    auto own = own_.find(what.cell_id);
    return own != own_.end() && own->second.includes(what.seq);
}

void event_filter::attach_from_now(std::uint64_t newest) {
    if (!attached()) all_after_ = newest;
}

std::optional<std::uint64_t> event_filter::own(const std::string& cell_id, std::uint64_t first_seq,
                                               std::uint64_t told) {
    if (own_.contains(cell_id) || all_after_ < first_seq) return std::nullopt;
    if (first_seq > told) {
        own_[cell_id] = telling{};
        return std::nullopt;
    }
    for (auto& [id, each] : own_) each.after = std::max(each.after, told);
    telling again;
    again.after = first_seq - 1;
    if (attached() && all_after_ < told) {
        again.told_after = std::exchange(all_after_, told);
        again.told_until = told;
    }
    own_[cell_id] = again;
    return again.after;
}

}  // namespace gateway::api::agent
