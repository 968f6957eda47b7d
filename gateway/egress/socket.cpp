#include "gateway/egress/socket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/write.hpp>

namespace gateway::egress {
namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::string_view empty_line = "\r\n\r\n";

}  // namespace

awaitable<result<void>> connect(socket& into, asio::ip::tcp::endpoint where) {
    close(into);
    auto [refused] = co_await into.async_connect(asio::generic::stream_protocol::endpoint(where), tuple_awaitable);
    if (refused) co_return failure{errc::unavailable, where.address().to_string() + ": " + refused.message()};
    error_code ignored;
    into.set_option(asio::ip::tcp::no_delay(true), ignored);
    into.set_option(asio::socket_base::keep_alive(true), ignored);
    co_return result<void>();
}

awaitable<std::pair<error_code, std::size_t>> read_some(socket& from, char* into, std::size_t size) {
    auto [ec, count] = co_await from.async_read_some(asio::buffer(into, size), tuple_awaitable);
    co_return std::pair(ec, count);
}

awaitable<bool> write_all(socket& to, std::string_view bytes) {
    auto [ec, count] = co_await asio::async_write(to, asio::buffer(bytes), tuple_awaitable);
    co_return !ec;
}

awaitable<result<std::string>> read_head(socket& from, std::string& buffer, std::size_t max_bytes) {
    std::array<char, 4096> piece;
    std::size_t searched = 0;
    while (true) {
        auto end = buffer.find(empty_line, searched);
        if (end != std::string::npos && end + empty_line.size() <= max_bytes) {
            auto head = buffer.substr(0, end + empty_line.size());
            buffer.erase(0, head.size());
            co_return head;
        }
        if (buffer.size() >= max_bytes)
            co_return failure{errc::too_large,
                              fmt::format("the head is longer than network.max_head_bytes ({})", max_bytes)};
        searched = buffer.size() - std::min(buffer.size(), empty_line.size() - 1);
        auto [ec, count] = co_await read_some(from, piece.data(), piece.size());
        if (ec && buffer.empty()) co_return std::string();
        if (ec) co_return failure{errc::peer_gone, "the connection ended within a head"};
        buffer.append(piece.data(), count);
    }
}

void close(socket& which) {
    error_code ignored;
    which.close(ignored);
}

}  // namespace gateway::egress
