// A session's output log: the only buffer between a kernel and its readers. Entries are appended once, each with a
// session-wide seq; readers are cursors. Owned by one session; io thread, files through the pool.
//
// What every holding cursor has released stays in memory only to read_keep_bytes; all else up to memory_bytes; the rest
// is in segment files of the session's log directory, up to disk_bytes (or one larger entry, while it is the newest),
// and only past that the oldest segment goes: a reader that comes to the hole gets one entry of kind gap. Appending
// never waits, unless the disk is so slow that memory has grown to twice its limit.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/sessions/entry.hpp"
#include "gateway/sessions/log_budget.hpp"
#include "gateway/sessions/stream_pace.hpp"

namespace gateway::sessions {

struct log_limits {
    std::size_t memory_bytes = 64u << 20;
    std::size_t read_keep_bytes = 256u << 10;
    std::uint64_t disk_bytes = 2ull << 30;
};

class log_core;
struct cursor_state;

// A place in the log. Must not outlive its log's session; reading ends when the log is closed.
class cursor {
  public:
    // The entries after position() that `wanted` takes (all when empty; a gap always), at least one: waits for it.
    // About `max_bytes` at the most, but always one. Moves position() to the last entry looked at. Adjacent stream
    // messages of one parent and name come merged when at least `merge_from` entries were waiting (0: never); a merged
    // entry has the seq of its last part. Empty only when the log was closed, or wake() was called, or the caller was
    // cancelled; then nothing was consumed. One call at a time.
    awaitable<std::vector<shared_entry>> next(std::size_t max_bytes, std::size_t merge_from = 64);
    // The same at the client's pace: stream text may wait, and is merged then, whatever was waiting.
    awaitable<std::vector<shared_entry>> next(std::size_t max_bytes, std::size_t merge_from, stream_pace& pace);
    void set_filter(std::function<bool(const entry&)> wanted);
    // Ends a next() that waits now with an empty answer.
    void wake();
    // The log was ended or closed: once everything that is still there is read, next() is empty for good.
    bool closed() const;

    std::uint64_t position() const;
    void seek(std::uint64_t after_seq);
    // Entries up to `seq` need not stay in memory for this reader; reading alone releases nothing. A cursor that holds
    // nothing keeps nothing in memory; a new one holds what is after its position.
    void release(std::uint64_t up_to_seq);
    void hold(bool holding);
    ~cursor();

  private:
    friend class output_log;
    using time_point = std::chrono::steady_clock::time_point;
    // Empty also at `limit`.
    awaitable<std::vector<shared_entry>> next_until(std::size_t max_bytes, std::size_t merge_from, time_point limit);
    explicit cursor(std::shared_ptr<cursor_state> made);
    std::shared_ptr<cursor_state> state_;
};

class output_log {
  public:
    // `directory` exists, is the session's own, and is empty; segment files are made when they are first needed.
    // The first seq is the one after `last_seq`: what is up to there was another log's, and is a gap in this one.
    output_log(executor ex, asio::thread_pool& pool, log_budget& budget, log_limits limits, std::string directory,
               std::uint64_t last_seq = 0);
    ~output_log();  // closes it
    output_log(const output_log&) = delete;
    output_log& operator=(const output_log&) = delete;

    // Gives the entry its seq and time, and wakes every cursor. Never fails: what the disk does not take stays in
    // memory while that has room, and then becomes a gap, logged once.
    std::uint64_t append(entry what);
    std::uint64_t last_seq() const;
    std::uint64_t first_seq() const;  // the oldest entry that is still there; last_seq() + 1 when none is

    // A reader of what comes after `after_seq` (of the newest, when that is past it).
    std::unique_ptr<cursor> open(std::uint64_t after_seq);
    // Entries in (after_seq, until_seq], about max_bytes at the most, at least one when there is one; does not wait for
    // new ones. The answer's last seq is where to go on; a hole comes as a gap entry. Empty also when cancelled.
    awaitable<std::vector<shared_entry>> read(std::uint64_t after_seq, std::uint64_t until_seq, std::size_t max_bytes);

    std::size_t memory_bytes() const;  // with what is being written
    std::uint64_t disk_bytes() const;
    std::uint64_t dropped_entries() const;
    // Nothing comes after this: a reader gets all there is, wherever it is, and then is at the end. close() may follow.
    void end();
    // Wakes all readers for good and deletes the segment files. A reader still gets what was in memory.
    void close();

  private:
    std::shared_ptr<log_core> core_;
};

}  // namespace gateway::sessions
