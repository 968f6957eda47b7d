#include "gateway/sessions/log_core.hpp"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"
#include "gateway/sessions/entry_codec.hpp"

namespace gateway::sessions {
namespace {

// A full log is at most this many files, so that dropping the oldest costs a small part of it.
constexpr std::uint64_t segments_per_log = 32;
constexpr std::uint64_t most_segment_bytes = 64u << 20;
constexpr std::uint64_t most_batch_bytes = 1u << 20;

std::uint64_t segment_bytes(const log_limits& limits) {
    return std::clamp<std::uint64_t>(limits.disk_bytes / segments_per_log, 1, most_segment_bytes);
}

// On the pool, or on the io thread when the disk does not keep up.
void write_batch(spill_job& job) {
    record_bytes bytes;
    for (const auto& each : job.entries) {
        auto offset = job.offset + bytes.size();
        if (job.index_is_empty || offset - job.indexed_to >= index_step_bytes) {
            job.written.index.push_back({each->seq, offset});
            job.indexed_to = offset;
            job.index_is_empty = false;
        }
        encode_record(*each, bytes);
    }
    job.outcome = job.file->write(job.offset, bytes.pieces());
    job.written.next_seq = job.entries.back()->seq + 1;
    job.written.bytes = bytes.size();
}

std::size_t memory_of(const std::vector<shared_entry>& entries) {
    std::size_t bytes = 0;
    for (const auto& each : entries) bytes += each->size();
    return bytes;
}

}  // namespace

log_core::log_core(executor ex, asio::thread_pool& pool, std::shared_ptr<budget_state> budget, log_limits limits,
                   std::string directory, std::uint64_t last_seq)
    : ex_(ex),
      pool_(pool),
      budget_(std::move(budget)),
      limits_(limits),
      batch_bytes_(std::min(most_batch_bytes, segment_bytes(limits))),
      segments_(std::move(directory), segment_bytes(limits), pool),
      changed_(ex),
      last_seq_(last_seq) {
    budget_->logs.push_back(this);
}

log_core::~log_core() { close(); }

std::uint64_t log_core::append(entry what) {
    if (ended_) return last_seq_ + 1;
    what.seq = what.first_seq = ++last_seq_;
    what.time = wall_clock::now();
    auto made = std::make_shared<const entry>(std::move(what));
    appended_bytes_ += made->size();
    memory_.push_back(std::move(made));
    account();
    balance();
    changed_.notify_all();
    return last_seq_;
}

void log_core::end() {
    ended_ = true;
    changed_.notify_all();
}

void log_core::close() {
    if (closed_) return;
    ended_ = closed_ = true;
    segments_.clear();
    budget_->replace(usage_, {});
    usage_ = {};
    budget_->remove(this);
    if (claims_.empty()) memory_.clear();
    changed_.notify_all();
}

std::uint64_t log_core::first_seq() const {
    if (auto seq = segments_.first_seq()) return seq;
    if (spilling_) return spilling_->entries.front()->seq;
    return memory_.empty() ? last_seq_ + 1 : memory_.first_seq();
}

place log_core::find(std::uint64_t seq) const {
    if (memory_.has(seq)) return {place::kind::memory, memory_.last_seq(), {}};
    auto in_batch = spilling_ && seq <= spilling_->entries.back()->seq;
    if (in_batch && seq >= spilling_->entries.front()->seq)
        return {place::kind::memory, spilling_->entries.back()->seq, {}};
    if (auto found = segments_.find(seq)) return {place::kind::disk, found->next_seq - 1, found};
    if (seq > last_seq_) return {};
    auto next = memory_.empty() ? last_seq_ + 1 : memory_.first_seq();
    if (in_batch) next = spilling_->entries.front()->seq;
    if (auto on_disk = segments_.next_from(seq)) next = std::min(next, on_disk);
    return {place::kind::gap, next - 1, {}};
}

const shared_entry& log_core::in_memory(std::uint64_t seq) const {
    if (memory_.has(seq)) return memory_.at(seq);
    return spilling_->entries[seq - spilling_->entries.front()->seq];
}

awaitable<segment_read> log_core::read_disk(shared_segment from, segment_range where) {
    auto self = shared_from_this();
    auto work = [file = from->file, where] { return read_entries(*file, where); };
    auto answer = co_await run_on(pool_, std::move(work));
    if (answer.damaged || answer.entries.empty()) {
        auto good_to = answer.entries.empty() ? where.after_seq : answer.entries.back()->seq;
        log::error("an output log lost entries from {} on: a segment file is damaged", good_to + 1);
        lose(segments_.cut(*from, good_to + 1));
    }
    co_return answer;
}

void log_core::add_claim(claim* what) { claims_.push_back(what); }

void log_core::remove_claim(claim* what) {
    claims_.erase(std::remove(claims_.begin(), claims_.end(), what), claims_.end());
    if (closed_ && claims_.empty()) memory_.clear();
    claims_changed();
}

void log_core::claims_changed() { balance(); }

bool log_core::shed_memory(spill_mode mode) {
    if (closed_ || memory_.empty() || (mode == spill_mode::in_background && spilling_)) return false;
    spill(batch_bytes_, mode);
    return true;
}

bool log_core::shed_disk() {
    if (segments_.empty()) return false;
    lose(segments_.drop_oldest());
    account();
    return true;
}

std::uint64_t log_core::held_from() const {
    auto from = last_seq_ + 1;
    for (const auto* each : claims_)
        if (each->holding) from = std::min(from, each->released + 1);
    return from;
}

// How much of the oldest memory has to go now. It goes a little below the limit, so that writes are few and large.
std::size_t log_core::overdue_bytes() const {
    std::size_t bytes = 0;
    auto released = memory_.bytes_before(held_from());
    if (released > limits_.read_keep_bytes) bytes = released - limits_.read_keep_bytes / 2;
    if (memory_.bytes() > limits_.memory_bytes) {
        auto spare = std::min(limits_.memory_bytes / 8, batch_bytes_);
        bytes = std::max(bytes, memory_.bytes() - limits_.memory_bytes + spare);
    }
    return std::min(bytes, batch_bytes_);
}

// A disk that refused is tried again once about a batch more has come, or when memory is full.
bool log_core::disk_may_be_tried() const {
    return !disk_failing_ || appended_bytes_ >= retry_disk_at_ || memory_.bytes() > limits_.memory_bytes;
}

void log_core::balance() {
    while (!closed_ && disk_may_be_tried()) {
        auto bytes = overdue_bytes();
        if (bytes == 0) break;
        if (!spilling_)
            spill(bytes, spill_mode::in_background);
        else if (usage_.memory > 2 * limits_.memory_bytes)
            spill(bytes, spill_mode::at_once);
        else
            break;
    }
    budget_->balance();
}

void log_core::spill(std::size_t bytes, spill_mode mode) {
    auto job = prepare(memory_.take_front(bytes));
    if (!job->target) {
        finish(job);
        return;
    }
    if (mode == spill_mode::at_once) {
        write_batch(*job);
        finish(job);
        return;
    }
    spilling_ = job;
    account();
    // The job and the log go to the pool and come back, so that neither is ever destroyed there.
    auto back = [self = shared_from_this(), job]() mutable {
        self->spilling_.reset();
        self->finish(job);
        self->balance();
    };
    auto work = [job = std::move(job), back = std::move(back), guard = asio::make_work_guard(ex_), ex = ex_]() mutable {
        write_batch(*job);
        job.reset();
        asio::post(ex, std::move(back));
    };
    asio::post(pool_, std::move(work));
}

std::shared_ptr<spill_job> log_core::prepare(std::vector<shared_entry> entries) {
    auto job = std::make_shared<spill_job>();
    job->memory = memory_of(entries);
    job->entries = std::move(entries);
    if (limits_.disk_bytes == 0) {
        job->outcome = failure{errc::io_error, "output_log.disk_bytes is 0"};
        return job;
    }
    // A record is smaller than its entry in memory, so this is enough room. An entry that is larger than the limit by
    // itself is kept while it is the newest: a late reader misses the end of an output least.
    auto needed = job->memory + (spilling_ ? spilling_->memory : 0);
    while (segments_.bytes() + needed > limits_.disk_bytes && !segments_.empty()) lose(segments_.drop_oldest());
    auto target = segments_.open_for(job->entries.front()->seq);
    if (!target) {
        job->outcome = target.error();
        return job;
    }
    job->target = *target;
    job->file = job->target->file;
    job->offset = job->target->size;
    job->index_is_empty = job->target->index.empty();
    if (!job->index_is_empty) job->indexed_to = job->target->index.back().offset;
    return job;
}

void log_core::finish(const std::shared_ptr<spill_job>& job) {
    if (closed_) {
        // Readers that are still here may finish what was in memory.
        if (!claims_.empty() && is_adjacent(*job)) memory_.put_back(job->entries);
        return;
    }
    if (!job->outcome) {
        if (job->target) segments_.give_up(job->target);
        fail(*job, job->outcome.error());
    } else if (job->target->dropped) {
        lose(job->entries.size());
    } else {
        segments_.commit(*job->target, job->written);
        if (disk_failing_) log::info("the disk takes the output log's entries again");
        disk_failing_ = false;
    }
    account();
}

void log_core::fail(const spill_job& job, const failure& why) {
    if (!disk_failing_)
        log::error("output that does not fit in memory is lost from entry {} on: {}", job.entries.front()->seq,
                   why.message);
    disk_failing_ = true;
    retry_disk_at_ = appended_bytes_ + batch_bytes_;
    auto fits = memory_.bytes() + job.memory <= limits_.memory_bytes && !budget_->memory_is_short();
    if (fits && is_adjacent(job))
        memory_.put_back(job.entries);
    else
        lose(job.entries.size());
}

// Whether memory begins right behind the batch.
bool log_core::is_adjacent(const spill_job& job) const {
    auto behind = job.entries.back()->seq + 1;
    return behind == (memory_.empty() ? last_seq_ + 1 : memory_.first_seq());
}

void log_core::lose(std::uint64_t entries) {
    dropped_ += entries;
    budget_->dropped += entries;
}

void log_core::account() {
    log_usage now;
    now.writing = spilling_ ? spilling_->memory : 0;
    now.memory = memory_.bytes() + now.writing;
    now.disk = segments_.bytes();
    budget_->replace(usage_, now);
    usage_ = now;
}

}  // namespace gateway::sessions
