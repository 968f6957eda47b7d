// The bytes of one outgoing connection, plain or TLS behind one type, so that Beast's templates are built once.
// Owned by its response; io thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <optional>
#include <string>

#include "gateway/base/async.hpp"

namespace gateway::outbound {

using boost::system::error_code;

class stream {
  public:
    using executor_type = executor;

    explicit stream(asio::ip::tcp::socket connected) : socket_(std::move(connected)) {}

    executor_type get_executor() { return socket_.get_executor(); }
    // TLS as a client of `host`, whose certificate must be for that name. `context` outlives the stream.
    awaitable<error_code> handshake(asio::ssl::context& context, std::string host);

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        auto start = [this](auto handler, const Buffers& into) {
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
    asio::ip::tcp::socket socket_;
    std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;
};

}  // namespace gateway::outbound
