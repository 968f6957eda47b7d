// A tiny blocking HTTP and WebSocket client for tests: one connection, every wait ends after ten seconds with an
// exception. It checks nothing on its own, so that tests can send anything.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/http/request.hpp"

namespace test_http {

struct reply {
    int status = 0;
    gateway::http::header_map headers;
    std::string body;

    std::string header(std::string_view name) const;
};

struct frame {
    int opcode = 0;
    std::string payload;

    std::uint16_t close_code() const;  // 0 when it has none
    std::string close_reason() const;
};

constexpr int text_frame = 1, binary_frame = 2, close_frame = 8, ping_frame = 9, pong_frame = 10;

class client {
  public:
    // `receive_buffer`: SO_RCVBUF, for a peer whose window closes early.
    explicit client(std::uint16_t port, int receive_buffer = 0);
    ~client();
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    // Speaks TLS from now on; false when the handshake failed.
    bool start_tls(SSL_CTX* context);

    void send(std::string_view bytes);
    // As far as the other side takes it; false when it is gone.
    bool try_send(std::string_view bytes);
    reply read_reply(bool to_head = false);
    reply get(const std::string& path, const std::string& more_headers = {});
    reply request(const std::string& method, const std::string& path, const std::string& more_headers = {},
                  const std::string& body = {});
    std::string read_exactly(std::size_t count);
    std::string read_line();  // without its end
    // Whether the other side has closed, by FIN or reset; throws when it sends something else first.
    bool wait_for_close();
    bool was_reset() const { return reset_; }
    void shutdown_send();

    // --- WebSocket ---
    reply upgrade(const std::string& path, const std::string& more_headers = {});
    void send_frame(int opcode, std::string_view payload, bool last = true);
    frame read_frame();
    void send_close(std::uint16_t code);

  private:
    bool fill();
    std::string read_chunks();

    int fd_;
    std::string buffer_;
    bool reset_ = false;
    std::unique_ptr<SSL, decltype(&SSL_free)> tls_{nullptr, &SSL_free};
};

}  // namespace test_http
