// The body of an HTTP/1 message, taken out of the bytes of its connection, and framed anew. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gateway/egress/http_head.hpp"

namespace gateway::egress {

class body_reader {
  public:
    explicit body_reader(body_length length);

    // Takes bytes from the front of `from` and gives what of the body they hold. Nothing is taken once it is done.
    // invalid_request: a chunk that is malformed. Extensions and trailers are read and dropped.
    result<std::string> take(std::string_view& from);
    // All of the body has been given; never of one that ends with the connection.
    bool is_done() const { return state_ == state::done; }
    // Whether the connection may end here.
    bool may_end() const { return is_done() || state_ == state::until_close; }

  private:
    enum class state : std::uint8_t { fixed, until_close, chunk_size, chunk, chunk_end, trailer, done };

    void take_bytes(std::string_view& from, std::string& into);
    result<void> take_line(std::string_view& from);
    result<void> end_line();

    state state_;
    std::uint64_t left_ = 0;  // of the body or chunk
    std::string line_;
    std::size_t trailer_bytes_ = 0;
};

// A chunk; the one that ends a body when `bytes` is empty.
std::string chunk_of(std::string_view bytes);

}  // namespace gateway::egress
