#include "gateway/sessions/segment_list.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

namespace gateway::sessions {

std::uint64_t segment::find_offset(std::uint64_t seq) const {
    auto after = std::upper_bound(index.begin(), index.end(), seq,
                                  [](std::uint64_t wanted, const index_record& each) { return wanted < each.seq; });
    return after == index.begin() ? 0 : std::prev(after)->offset;
}

std::uint64_t segment_list::first_seq() const { return next_from(0); }

std::uint64_t segment_list::next_from(std::uint64_t seq) const {
    auto found = std::find_if(segments_.begin(), segments_.end(), [seq](const shared_segment& each) {
        return each->next_seq > std::max(seq, each->first_seq);
    });
    return found == segments_.end() ? 0 : std::max(seq, (*found)->first_seq);
}

shared_segment segment_list::find(std::uint64_t seq) const {
    auto found = std::find_if(segments_.begin(), segments_.end(),
                              [seq](const shared_segment& each) { return each->holds(seq); });
    return found == segments_.end() ? nullptr : *found;
}

result<shared_segment> segment_list::open_for(std::uint64_t seq) {
    if (!segments_.empty()) {
        auto& newest = segments_.back();
        if (!newest->writing && newest->next_seq == seq && newest->size < segment_bytes_) {
            newest->writing = true;
            return newest;
        }
    }
    auto file = segment_file::create(directory_ + "/" + std::to_string(seq) + ".log");
    if (!file) return file.error();
    auto made = std::make_shared<segment>();
    made->file = std::move(*file);
    made->first_seq = made->next_seq = seq;
    made->writing = true;
    segments_.push_back(made);
    return made;
}

void segment_list::commit(segment& target, const written_batch& batch) {
    target.writing = false;
    target.next_seq = batch.next_seq;
    target.size += batch.bytes;
    target.index.insert(target.index.end(), batch.index.begin(), batch.index.end());
    bytes_ += batch.bytes;
}

void segment_list::give_up(const shared_segment& target) {
    target->writing = false;
    if (target->size == 0) forget(target);
}

std::uint64_t segment_list::drop_oldest() {
    if (segments_.empty()) return 0;
    auto oldest = segments_.front();
    auto lost = oldest->next_seq - oldest->first_seq;
    forget(oldest);
    return lost;
}

std::uint64_t segment_list::cut(segment& damaged, std::uint64_t seq) {
    if (damaged.dropped || !damaged.holds(seq)) return 0;
    auto lost = damaged.next_seq - seq;
    damaged.next_seq = seq;
    return lost;
}

void segment_list::clear() {
    while (!segments_.empty()) forget(segments_.back());
}

void segment_list::forget(const shared_segment& which) {
    auto found = std::find(segments_.begin(), segments_.end(), which);
    if (found == segments_.end()) return;
    which->dropped = true;
    which->file->unlink();
    // Closing an unlinked file frees its blocks, which takes milliseconds.
    boost::asio::post(pool_, [file = which->file] {});
    which->file.reset();
    bytes_ -= which->size;
    segments_.erase(found);
}

}  // namespace gateway::sessions
