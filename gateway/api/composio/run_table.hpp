// Tool calls under way. A call does not end with its connection; whoever asks the same again after its connection was
// cut gets the call that runs, or its outcome for a while, and it is not done twice. Owned by the service; io thread.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "gateway/api/composio/tool_call.hpp"
#include "gateway/base/async.hpp"

namespace gateway::api::composio {

class run {
  public:
    run(executor ex, std::string key) : key_(std::move(key)), ended_(ex), task_(ex) {}

    const std::string& key() const { return key_; }
    bool has_ended() const { return outcome_.has_value(); }
    // Once it has ended.
    const tool_outcome& outcome() const { return *outcome_; }
    // Until it has ended, or `limit` has passed.
    awaitable<void> wait_for(milliseconds limit);
    // Until it has ended.
    awaitable<result<void>> wait();
    // Its cell, once it has one; empty for other tools.
    std::string cell_id;
    // Its command in the session's shell, likewise.
    std::string command_id;
    // Ends a call that is no cell: its tool is told.
    void cancel() { task_.cancel(); }

  private:
    friend class run_table;
    friend class run_watch;

    void finish(tool_outcome what);

    std::string key_;
    std::optional<tool_outcome> outcome_;
    event ended_;
    std::chrono::steady_clock::time_point ended_at_;
    // Its session ends it, and says how.
    bool is_of_session() const { return !cell_id.empty() || !command_id.empty(); }

    int watchers_ = 0;
    bool delivered_ = false;
    bool stopped_ = false;  // by the table's end
    task_group task_;
};

// A connection that waits for a run. It is gone when this is.
class run_watch {
  public:
    explicit run_watch(std::shared_ptr<run> of) : of_(std::move(of)) { ++of_->watchers_; }
    run_watch(const run_watch&) = delete;
    run_watch& operator=(const run_watch&) = delete;
    ~run_watch();

    run& operator*() const { return *of_; }
    const std::shared_ptr<run>& what() const { return of_; }
    run* operator->() const { return of_.get(); }
    // The client has the outcome: asked again, it means another call.
    void delivered() { of_->delivered_ = true; }

  private:
    std::shared_ptr<run> of_;
};
using shared_watch = std::shared_ptr<run_watch>;

class run_table {
  public:
    using work = std::function<awaitable<tool_outcome>(std::shared_ptr<run>)>;

    // `keep`: how long an outcome that nobody got is kept.
    explicit run_table(executor ex, milliseconds keep = std::chrono::seconds(60)) : ex_(std::move(ex)), keep_(keep) {}

    // Starts `what`, or joins an equal call (an empty key is equal to none) whose connection is gone. `is_retry`: the
    // client says that it asked before, so it joins one whose connection seems to be there as well.
    shared_watch begin(const std::string& key, bool is_retry, work what);
    // Nothing begins any more, and what runs is ended: tools at once; cells and commands, whose sessions end them, have
    // until `patience` has passed to say how they ended. Whoever waits for one is answered.
    awaitable<void> stop(milliseconds patience = milliseconds(0));
    std::size_t size() const { return runs_.size(); }

  private:
    void forget_old();
    std::shared_ptr<run> find(const std::string& key, bool is_retry) const;
    static awaitable<void> perform(std::shared_ptr<run> which, work what);

    executor ex_;
    milliseconds keep_;
    std::list<std::shared_ptr<run>> runs_;
    bool stopping_ = false;
};

}  // namespace gateway::api::composio
