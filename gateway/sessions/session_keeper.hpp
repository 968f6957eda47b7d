// Brings what changes of sessions to their store: on the pool, many changes in one commit, and nobody waits for it who
// does not ask to. What the disk refuses waits and is tried again, in bounded memory. Owned by the registry; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/sessions/session_store.hpp"

namespace gateway::sessions {

class session_keeper {
  public:
    // The store outlives it.
    session_keeper(executor ex, asio::thread_pool& pool, session_store& store);
    ~session_keeper();

    // Written soon, in place of what was put before and is not written yet. After remove() nothing is.
    void put(kept_session now);
    void put(const std::string& session_id, kept_cell what);
    void remove(const std::string& session_id);

    // Once all that was put of this session is committed; io_error when the store refused it just now.
    awaitable<result<void>> written(std::string session_id);
    // Of an earlier gateway, from the disk at once; none when it cannot be read, which is logged.
    std::vector<kept_cell> read_cells(const std::string& session_id);
    // Writes what there is, or logs that it could not. Nothing is put afterwards.
    awaitable<void> stop();

    std::size_t waiting_bytes() const { return bytes_; }  // of cells

  private:
    struct outcome {
        bool is_there = false;
        result<void> what;
    };
    using asking = std::vector<std::shared_ptr<outcome>>;
    struct changes {
        session_changes what;
        asking waiting;
    };
    using batch = std::shared_ptr<std::vector<session_changes>>;

    session_changes& changes_of(const std::string& session_id);
    void hurry();
    void begin();
    awaitable<void> write_pending();
    awaitable<void> write(batch what, std::vector<asking> waiting);
    awaitable<result<void>> write_to_store(batch what);
    void tell(const asking& whom, const result<void>& what);
    void take_back(session_changes refused, const failure& why);
    void make_room();

    asio::thread_pool& pool_;
    session_store& store_;
    std::map<std::string, changes> pending_;
    std::size_t bytes_ = 0;  // of the cells in pending_
    bool urgent_ = false;
    bool running_ = false;
    bool failing_ = false;
    bool stopping_ = false;
    event hurried_;
    event told_;
    task_group tasks_;
};

}  // namespace gateway::sessions
