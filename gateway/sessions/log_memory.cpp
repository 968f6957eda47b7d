#include "gateway/sessions/log_memory.hpp"

#include <cassert>

namespace gateway::sessions {

std::size_t log_memory::bytes_before(std::uint64_t seq) const {
    if (empty() || seq <= first_seq()) return 0;
    if (seq > last_seq()) return bytes();
    return slots_[seq - first_seq() - 1].end - start();
}

void log_memory::push_back(shared_entry what) {
    assert(empty() || what->seq == last_seq() + 1);
    auto size = what->size();
    total_ += size;
    slots_.push_back({std::move(what), total_, size});
}

std::vector<shared_entry> log_memory::take_front(std::size_t bytes) {
    std::vector<shared_entry> taken;
    std::size_t sum = 0;
    while (!empty() && (taken.empty() || sum + slots_.front().size <= bytes)) {
        sum += slots_.front().size;
        taken.push_back(std::move(slots_.front().what));
        slots_.pop_front();
    }
    return taken;
}

void log_memory::put_back(const std::vector<shared_entry>& entries) {
    for (auto each = entries.rbegin(); each != entries.rend(); ++each) {
        assert(empty() || (*each)->seq + 1 == first_seq());
        auto end = empty() ? total_ : start();
        slots_.push_front({*each, end, (*each)->size()});
    }
}

}  // namespace gateway::sessions
