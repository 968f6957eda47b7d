// Reads requests off a stream: Beast's HTTP parser behind it, its limits and deadlines in front. Owned by a connection;
// io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gateway/http/deadline.hpp"
#include "gateway/http/request.hpp"
#include "gateway/http/stream.hpp"

namespace gateway::http {

struct reader_limits {
    std::size_t header_bytes = 0;
    std::string body_advice;      // what an error says to do
    milliseconds header_time{};   // from its first byte to its last
    milliseconds idle_time{};     // for its first byte
    milliseconds stall_time{};    // a body may be slow, but not silent,
    std::size_t bytes_per_s = 0;  // and not slower than this; 0: however slow
};

struct request_head {
    request what;  // method and headers
    std::string target;
    bool keep_alive = true;
    bool is_http_1_0 = false;
    bool has_body = false;
    bool expects_continue = false;
    std::optional<std::uint64_t> announced_bytes;  // the Content-Length; absent when chunked
};

class request_reader {
  public:
    // `from` and `bound`, which cancels its operations, outlive the reader.
    request_reader(stream& from, deadline& bound, reader_limits limits);
    ~request_reader();

    // False when none came in time, or the peer closed.
    awaitable<bool> wait_for_request();
    // too_large: over the header limit (line_too_long() says whether the request line was); timeout; invalid_request;
    // peer_gone.
    awaitable<result<request_head>> read_head();
    bool line_too_long() const;
    // After read_head(); the same codes, too_large over `limit` bytes.
    awaitable<result<std::string>> read_body(std::size_t limit);
    // The same, piece by piece and of any size; nullopt after the last.
    awaitable<result<std::optional<std::string>>> read_piece();
    // Reads ahead while an answer is streamed; returns when the peer has closed, or has sent so much of further
    // requests that its close would not be seen anyway.
    awaitable<bool> wait_for_close();
    // What came after the last request.
    std::string take_rest();

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

}  // namespace gateway::http
