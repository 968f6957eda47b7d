#include "tests/gateway/http/client.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace test_http {

std::string reply::header(std::string_view name) const {
    auto at = headers.find(name);
    return at == headers.end() ? std::string() : at->second;
}

std::uint16_t frame::close_code() const {
    if (opcode != close_frame || payload.size() < 2) return 0;
    return static_cast<std::uint16_t>((static_cast<unsigned char>(payload[0]) << 8) |
                                      static_cast<unsigned char>(payload[1]));
}

std::string frame::close_reason() const { return payload.size() > 2 ? payload.substr(2) : std::string(); }

client::client(std::uint16_t port, int receive_buffer) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    timeval limit{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (receive_buffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
        ::close(fd_);
        throw std::runtime_error("cannot connect");
    }
}

client::~client() {
    tls_.reset();
    ::close(fd_);
}

bool client::start_tls(SSL_CTX* context) {
    tls_.reset(SSL_new(context));
    SSL_set_fd(tls_.get(), fd_);
    return SSL_connect(tls_.get()) == 1;
}

bool client::try_send(std::string_view bytes) {
    while (!bytes.empty()) {
        auto count = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                          : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

void client::send(std::string_view bytes) {
    if (!try_send(bytes)) throw std::runtime_error("cannot send");
}

// False at the end of the connection.
bool client::fill() {
    char room[65536];
    auto count = tls_ ? SSL_read(tls_.get(), room, sizeof room) : ::recv(fd_, room, sizeof room, 0);
    if (count < 0 && errno == ECONNRESET) reset_ = true;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("nothing came in time");
    if (count <= 0) return false;
    buffer_.append(room, static_cast<std::size_t>(count));
    return true;
}

std::string client::read_exactly(std::size_t count) {
    while (buffer_.size() < count)
        if (!fill()) throw std::runtime_error("the connection ended");
    auto bytes = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return bytes;
}

std::string client::read_line() {
    std::size_t end;
    while ((end = buffer_.find("\r\n")) == std::string::npos)
        if (!fill()) throw std::runtime_error("the connection ended");
    auto line = read_exactly(end + 2);
    return line.substr(0, end);
}

std::string client::read_chunks() {
    std::string body;
    while (true) {
        auto size = std::stoul(read_line(), nullptr, 16);
        body += read_exactly(size);
        read_line();
        if (size == 0) return body;
    }
}

reply client::read_reply(bool to_head) {
    reply made;
    auto status = read_line();
    made.status = std::stoi(status.substr(9));
    for (auto line = read_line(); !line.empty(); line = read_line()) {
        auto colon = line.find(": ");
        made.headers.emplace(line.substr(0, colon), line.substr(colon + 2));
    }
    if (to_head || made.status == 101 || made.status == 204 || made.status == 100) return made;
    if (made.header("transfer-encoding") == "chunked") {
        made.body = read_chunks();
    } else if (auto length = made.header("content-length"); !length.empty()) {
        made.body = read_exactly(std::stoul(length));
    } else {
        while (fill()) continue;
        made.body = std::move(buffer_);
    }
    return made;
}

reply client::request(const std::string& method, const std::string& path, const std::string& more_headers,
                      const std::string& body) {
    auto length = body.empty() ? std::string() : fmt::format("Content-Length: {}\r\n", body.size());
    send(fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}{}\r\n", method, path, more_headers, length) + body);
    return read_reply(method == "HEAD");
}

reply client::get(const std::string& path, const std::string& more_headers) {
    return request("GET", path, more_headers);
}

bool client::wait_for_close() {
    if (fill()) throw std::runtime_error("unexpected: " + buffer_);
    return true;
}

void client::shutdown_send() { ::shutdown(fd_, SHUT_WR); }

reply client::upgrade(const std::string& path, const std::string& more_headers) {
    return get(path,
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                   more_headers);
}

void client::send_frame(int opcode, std::string_view payload, bool last) {
    std::string bytes;
    bytes += static_cast<char>((last ? 0x80 : 0) | opcode);
    auto length = payload.size();
    int width = length < 126 ? 0 : length < 65536 ? 2 : 8;
    bytes += static_cast<char>(0x80 | (width == 0 ? static_cast<int>(length) : width == 2 ? 126 : 127));
    for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(length >> (8 * i));
    bytes += std::string(4, '\0');  // a mask that changes nothing
    bytes += payload;
    send(bytes);
}

frame client::read_frame() {
    auto head = read_exactly(2);
    frame made;
    made.opcode = head[0] & 0x0f;
    std::uint64_t length = head[1] & 0x7f;
    int width = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (width > 0) length = 0;
    for (unsigned char byte : read_exactly(static_cast<std::size_t>(width))) length = length << 8 | byte;
    made.payload = read_exactly(length);
    return made;
}

void client::send_close(std::uint16_t code) {
    std::string payload = {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
    send_frame(close_frame, payload);
}

}  // namespace test_http
