// One kernel WebSocket while it lasts: frames from the peer go to the session, the session's messages to the peer,
// pings ask what arrived. Three coroutines over one socket; lives in its request's coroutine; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <string>

#include "gateway/api/jupyter/counters.hpp"
#include "gateway/api/jupyter/framing.hpp"
#include "gateway/api/jupyter/ping_window.hpp"
#include "gateway/http/websocket.hpp"
#include "gateway/sessions/jupyter_client.hpp"

namespace gateway::api::jupyter {

// A frame that is no message ends the connection with this: a frame that is dropped silently leaves the client waiting
// for an answer. RFC 6455: "data within a message that was not consistent with the type of the message".
inline constexpr auto bad_frame_code = static_cast<http::close_code>(1007);

struct channel_options {
    framing form = framing::plain;
    asio::thread_pool* pool = nullptr;
    // What becomes of a connection that a newer one with its session_id replaced. jupyter_server's gateway client comes
    // back after any close, and would replace the newer connection in turn, for ever: it is left open and silent
    // instead, and closed only when it sends something.
    bool stay_when_replaced = false;
};

class channel_connection {
  public:
    // `ws` and `counters` outlive it.
    channel_connection(executor ex, http::websocket& ws, std::shared_ptr<sessions::jupyter_client> client,
                       channel_options options, channel_counters& counters);
    channel_connection(const channel_connection&) = delete;
    channel_connection& operator=(const channel_connection&) = delete;

    // Until the peer is gone, the session ends the client, or the caller is cancelled. The client is disconnected then.
    awaitable<void> run();

  private:
    class ending;

    awaitable<void> read_frames();
    awaitable<void> write_messages();
    awaitable<void> send_pings();

    awaitable<result<void>> forward(http::websocket::incoming frame);
    awaitable<bool> write_batch(std::vector<sessions::delivery> batch);
    awaitable<bool> write_one(const sessions::delivery& what);
    void note_written();
    awaitable<void> wait_for_peer();
    awaitable<void> close_as_told();
    awaitable<void> stay_silent();
    awaitable<void> close(http::close_code code, std::string reason);
    awaitable<outgoing_frame> encode_message(messaging::shared_message what);
    awaitable<result<messaging::message>> decode_frame(http::websocket::incoming frame);
    void note_stripped(const messaging::message& what);
    void acknowledge(std::string_view payload);
    void leave_session();
    void end();

    http::websocket& ws_;
    std::shared_ptr<sessions::jupyter_client> client_;
    channel_options options_;
    channel_counters& counters_;
    ping_window window_;
    event ended_;
    event written_;
    event acknowledged_;
    bool ending_ = false;
    bool closed_ = false;  // by us, with a close frame
    bool left_ = false;    // the session was told that this client is gone
    bool warned_ = false;
    task_group tasks_;  // last: it goes first
};

}  // namespace gateway::api::jupyter
