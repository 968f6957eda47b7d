// The bytes of one accepted connection, plain or TLS behind one type, so that Beast's templates are built once.
// Owned by its connection; io thread. One reader and one writer at a time.
#pragma once

#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>

#include "gateway/base/async.hpp"

namespace gateway::http {

using boost::system::error_code;

class stream {
  public:
    using executor_type = executor;

    // `tls` outlives the stream; null for plain TCP. Sets TCP_NODELAY and keep-alive.
    stream(asio::ip::tcp::socket socket, asio::ssl::context* tls);

    executor_type get_executor() { return socket_.get_executor(); }
    asio::ip::tcp::socket& socket() { return socket_; }
    bool is_secure() const { return tls_ != nullptr; }

    // How long a peer that does not answer is believed to be there, when bytes wait for it and when nothing goes; 0:
    // when bytes wait for it, for as long as TCP does.
    void set_peer_timeout(milliseconds limit);
    awaitable<error_code> handshake();
    // Bytes that were read too far: the next read returns them.
    void push_back(std::string bytes) { pushed_back_.insert(0, bytes); }
    // Ends both directions at once: the peer sees a reset, waiting operations are cancelled.
    void abort();
    // TLS's close_notify and TCP's FIN, then reads on until the peer has closed too: what was sent last would be lost
    // if unread bytes turned our close into a reset. The caller bounds it.
    awaitable<void> close();
    void shutdown_send();

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        auto start = [this](auto handler, const Buffers& into) {
            if (!pushed_back_.empty()) return give_back(std::move(handler), into);
            if (tls_) return tls_->async_read_some(into, std::move(handler));
            socket_.async_read_some(into, std::move(handler));
        };
        return asio::async_initiate<Token, void(error_code, std::size_t)>(std::move(start), token, buffers);
    }

    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        auto start = [this](auto handler, const Buffers& from) {
            if (tls_) return tls_->async_write_some(from, std::move(handler));
            socket_.async_write_some(from, std::move(handler));
        };
        return asio::async_initiate<Token, void(error_code, std::size_t)>(std::move(start), token, buffers);
    }

  private:
    template <class Handler, class Buffers>
    void give_back(Handler handler, const Buffers& into) {
        auto count = asio::buffer_copy(into, asio::buffer(pushed_back_));
        pushed_back_.erase(0, count);
        asio::post(get_executor(), asio::append(std::move(handler), error_code(), count));
    }

    asio::ip::tcp::socket socket_;
    std::unique_ptr<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;
    std::string pushed_back_;
};

}  // namespace gateway::http
