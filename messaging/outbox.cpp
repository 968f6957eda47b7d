#include "messaging/outbox.hpp"

#include <algorithm>
#include <utility>

namespace messaging {

void outbox::add(std::string message) { chunks_.push_back({std::move(message), false}); }

void outbox::add_first(std::string bytes) {
    auto from = chunks_.begin() + (written_ > 0 ? 1 : 0);
    auto at = std::find_if(from, chunks_.end(), [](const chunk& each) { return !each.is_first; });
    chunk made{std::move(bytes), true};
    chunks_.insert(at, std::move(made));
}

bool outbox::has_first() const {
    return std::any_of(chunks_.begin(),
                       chunks_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, chunks_.size())),
                       [](const chunk& each) { return each.is_first; });
}

std::size_t outbox::gather(std::span<iovec> into, bool with_messages) {
    std::size_t count = 0;
    auto skip = written_;
    for (auto each = chunks_.begin(); each != chunks_.end() && count < into.size(); ++each) {
        if (!each->is_first && !with_messages) break;
        into[count++] = {each->bytes.data() + skip, each->bytes.size() - skip};
        skip = 0;
    }
    return count;
}

void outbox::wrote(std::size_t bytes) {
    written_ += bytes;
    while (!chunks_.empty() && written_ >= chunks_.front().bytes.size()) {
        written_ -= chunks_.front().bytes.size();
        chunks_.pop_front();
    }
}

void outbox::start_over() {
    written_ = 0;
    std::erase_if(chunks_, [](const chunk& each) { return each.is_first; });
}

}  // namespace messaging
