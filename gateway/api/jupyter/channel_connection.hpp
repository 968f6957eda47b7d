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

class channel_connection {
  public:
    // `ws` and `counters` outlive it; `pool` may be null.
    channel_connection(executor ex, http::websocket& ws, std::shared_ptr<sessions::jupyter_client> client, framing form,
                       asio::thread_pool* pool, channel_counters& counters);
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
    awaitable<void> wait_for_large();
    awaitable<void> close_as_told();
    awaitable<void> close(http::close_code code, std::string reason);
    awaitable<messaging::websocket_frame> encode_message(messaging::shared_message what);
    awaitable<result<messaging::message>> decode_frame(http::websocket::incoming frame);
    void note_stripped(const messaging::message& what);
    void acknowledge(std::string_view payload);
    void end();

    executor ex_;
    http::websocket& ws_;
    std::shared_ptr<sessions::jupyter_client> client_;
    framing form_;
    asio::thread_pool* pool_;
    channel_counters& counters_;
    ping_window window_;
    event ended_;
    event written_;
    event acknowledged_;
    bool ending_ = false;
    bool closed_ = false;  // by us, with a close frame
    bool warned_ = false;
    task_group tasks_;  // last: it goes first
};

}  // namespace gateway::api::jupyter
