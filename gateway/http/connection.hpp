// One accepted connection: its requests one after the other, or its WebSocket. Kept alive by its own task; io thread.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/http/body_room.hpp"
#include "gateway/http/pace.hpp"
#include "gateway/http/request_reader.hpp"
#include "gateway/http/response_head.hpp"
#include "gateway/http/shared_state.hpp"
#include "gateway/http/stream.hpp"
#include "gateway/http/waiting_line.hpp"
#include "gateway/http/websocket_upgrade.hpp"

namespace gateway::http {

class connection : public std::enable_shared_from_this<connection> {
  public:
    connection(std::shared_ptr<shared_state> shared, asio::ip::tcp::socket socket, std::string remote);
    ~connection();

    // The connection's whole life.
    static awaitable<void> run(std::shared_ptr<connection> self);
    // Ends it now if it waits for a request; otherwise it ends after its answer, once the server is stopping.
    void end_if_idle();
    // Ends it now, for another connection, if it waits for its peer.
    void make_room();
    // Closes its WebSocket with 1012.
    void begin_close();
    // Ends it now, whatever it does: a streamed body's source is cancelled.
    void end();
    // Closes the WebSocket or the streamed answer of this key; a request that is being answered still gets its answer.
    void close_key(const std::string& key_id);

  private:
    // The request that is being answered.
    struct exchange {
        request_head head;
        admission::decision decision;
        bool body_read = false;
        bool keep_alive = true;
        std::chrono::steady_clock::time_point started;
    };

    awaitable<void> serve();
    awaitable<bool> serve_one();
    awaitable<bool> answer_failed_head(failure why);
    awaitable<bool> answer(exchange& of);
    awaitable<response> handle(const route& which, request& what);
    awaitable<bool> refuse(exchange& of, failure why, int status = 0);
    std::size_t body_limit(const exchange& of) const;
    std::optional<response> refuse_unread(exchange& of) const;
    awaitable<result<void>> receive_body(exchange& of, body_room& room);
    awaitable<response> handle_streaming(exchange& of);
    awaitable<result<std::optional<std::string>>> receive_piece(exchange& of);
    awaitable<bool> send(exchange& of, response answer);
    awaitable<bool> send_text(const std::string& head, const std::string& body);
    awaitable<bool> send_stream(body_source source, std::string head, framing how);
    static awaitable<bool> send_pieces(std::shared_ptr<connection> self, body_source source, framing how);
    template <class Value>
    awaitable<std::pair<std::exception_ptr, Value>> while_peer_stays(awaitable<Value> work);
    static awaitable<void> watch_peer(std::shared_ptr<connection> self);
    awaitable<bool> write(std::string_view bytes);
    awaitable<bool> serve_websocket(exchange& of);
    upgrade_options make_upgrade_options(const exchange& of) const;
    awaitable<bool> recover(std::exception_ptr from);
    awaitable<void> close();
    void log_access(const exchange& of, int status) const;

    std::shared_ptr<shared_state> shared_;
    stream stream_;
    deadline reading_;
    deadline writing_;
    request_reader reader_;
    std::string remote_;
    std::string request_id_;
    std::string key_id_;
    std::weak_ptr<upgraded_websocket> websocket_;
    asio::cancellation_signal peer_left_;
    waiting_place place_;
    pace sending_;
    bool waiting_ = false;      // for the next request
    bool answering_ = false;    // bytes of an answer have been sent
    bool receiving_ = false;    // waits for a piece of a streamed body
    bool cancellable_ = false;  // what runs for this request ends when the peer leaves
    bool revoked_ = false;
    bool over_limit_ = false;
    bool replaced_ = false;  // ends for another connection
};

}  // namespace gateway::http
