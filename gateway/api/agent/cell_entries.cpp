#include "gateway/api/agent/cell_entries.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gateway::api::agent {
namespace {

constexpr std::size_t batch_bytes = 256u << 10;

}  // namespace

bool is_output(const std::string& type) {
    constexpr std::array<std::string_view, 6> types{"stream",         "display_data", "update_display_data",
                                                    "execute_result", "error",        "clear_output"};
    return std::find(types.begin(), types.end(), type) != types.end();
}

bool cell_entries::is_wanted(const sessions::entry& what) const {
    if (what.kind == sessions::entry_kind::gap) return true;
    return what.kind == sessions::entry_kind::message && what.cell_id == cell_id_ && is_output(what.type);
}

awaitable<sessions::shared_entry> cell_entries::next() {
    for (;;) {
        while (at_ < batch_.size()) {
            auto each = std::move(batch_[at_++]);
            if (is_wanted(*each)) co_return each;
        }
        batch_ = co_await session_->log().read(position_, until_, batch_bytes);
        at_ = 0;
        if (batch_.empty()) co_return nullptr;
        position_ = batch_.back()->seq;
    }
}

}  // namespace gateway::api::agent
