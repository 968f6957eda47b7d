#include "gateway/sessions/log_reader.hpp"

#include <algorithm>

namespace gateway::sessions {
namespace {

read_step read_memory(const log_core& core, const read_request& what, std::uint64_t until, const entry_filter& wanted) {
    read_step step;
    step.position = what.after_seq;
    std::size_t taken = 0;
    while (step.position < until) {
        const auto& next = core.in_memory(step.position + 1);
        if (!wanted || wanted(*next)) {
            if (!step.entries.empty() && taken + next->size() > what.max_bytes) break;
            taken += next->size();
            step.entries.push_back(next);
        }
        ++step.position;
    }
    return step;
}

read_step make_gap(const read_request& what, std::uint64_t until) {
    auto gap = std::make_shared<entry>();
    gap->seq = gap->first_seq = until;
    gap->gap_from = what.after_seq + 1;
    gap->kind = entry_kind::gap;
    gap->type = "gap";
    gap->time = wall_clock::now();
    read_step step;
    step.position = until;
    step.entries.push_back(std::move(gap));
    return step;
}

std::uint64_t begin_of(const shared_segment& from, std::uint64_t seq, const disk_hint& hint) {
    return hint.seq == seq && hint.in.lock() == from ? hint.offset : from->find_offset(seq);
}

}  // namespace

awaitable<read_step> read_some(std::shared_ptr<log_core> core, read_request what, const entry_filter& wanted,
                               disk_hint hint) {
    auto here = core->find(what.after_seq + 1);
    auto until = std::min(here.until, what.until_seq);
    if (here.where == place::kind::memory) co_return read_memory(*core, what, until, wanted);
    if (here.where != place::kind::disk) co_return make_gap(what, until);
    segment_range range;
    range.from = begin_of(here.on_disk, what.after_seq + 1, hint);
    range.to = here.on_disk->size;
    range.after_seq = what.after_seq;
    range.until_seq = until;
    range.max_bytes = what.max_bytes;
    auto found = co_await core->read_disk(here.on_disk, range);
    read_step step;
    step.position = found.entries.empty() ? what.after_seq : found.entries.back()->seq;
    step.hint = {here.on_disk, step.position + 1, found.next_offset};
    step.entries = std::move(found.entries);
    if (wanted) std::erase_if(step.entries, [&wanted](const shared_entry& each) { return !wanted(*each); });
    co_return step;
}

}  // namespace gateway::sessions
