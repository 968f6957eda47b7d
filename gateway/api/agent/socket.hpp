// One agent WebSocket while it lasts: calls come in, answers and notifications go out. A reader and a writer over one
// socket, and a task for each call that takes time; lives in its request's coroutine; io thread.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "gateway/api/agent/context.hpp"
#include "gateway/api/agent/event_filter.hpp"
#include "gateway/api/agent/rpc.hpp"
#include "gateway/http/websocket.hpp"

namespace gateway::api::agent {

class agent_socket {
  public:
    // `ws` outlives it, and so does `pool`, which takes large frames apart.
    agent_socket(executor ex, http::websocket& ws, shared_session session, asio::thread_pool* pool = nullptr);
    agent_socket(const agent_socket&) = delete;
    agent_socket& operator=(const agent_socket&) = delete;

    // Until the peer is gone, the session's log ends, or the caller is cancelled.
    awaitable<void> run();

    // --- for the methods ---
    sessions::session& session() { return *session_; }
    // Goes on behind `after_seq`: what was on its way out is told again from there.
    void go_to(std::uint64_t after_seq);
    void attach_from_now();
    // The events of this cell are for this socket.
    void own(const sessions::submitted& cell);

  private:
    awaitable<void> read_calls();
    awaitable<rpc_frame> parse(std::string frame);
    awaitable<void> write_frames();
    awaitable<void> close_at_end();
    awaitable<bool> write_answers();
    awaitable<bool> write_entries();
    awaitable<void> serve(std::shared_ptr<rpc_frame> frame);
    awaitable<std::string> answer(const rpc_call& call);
    void send(std::string answer);
    std::uint64_t told() const;
    void end();

    executor ex_;
    http::websocket& ws_;
    shared_session session_;
    asio::thread_pool* pool_;
    std::shared_ptr<void> counted_;
    event_filter filter_;
    std::unique_ptr<sessions::cursor> cursor_;
    std::deque<std::string> answers_;
    std::size_t answer_bytes_ = 0;
    event answered_;  // answers were taken off
    event ended_;
    unsigned moves_ = 0;                    // counts go_to(): what was read before is not written any more
    std::optional<std::uint64_t> in_hand_;  // of a batch under way: the last seq that is written or being written
    bool closing_ = false;                  // with a close frame, which must not be cut off
    bool ending_ = false;
    task_group tasks_;  // last: it goes first
};

}  // namespace gateway::api::agent
