// What the body of one request takes of the room that large bodies have together, until it goes. io thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gateway/http/shared_state.hpp"

namespace gateway::http {

class body_room {
  public:
    explicit body_room(shared_state& of) : of_(of) {}
    body_room(const body_room&) = delete;
    body_room& operator=(const body_room&) = delete;
    ~body_room() { of_.bodies_bytes -= taken_; }

    // False when there is not enough. A body that does not tell its size (`announced` 0) may take the whole `limit`.
    bool take(std::uint64_t announced, std::size_t limit) {
        auto most = of_.options.max_bodies_bytes;
        auto size = announced > 0 ? static_cast<std::size_t>(std::min<std::uint64_t>(announced, limit)) : limit;
        if (most == 0 || size <= small_body_bytes) return true;
        if (of_.bodies_bytes + size > most) return false;
        of_.bodies_bytes += taken_ = size;
        return true;
    }

  private:
    static constexpr std::size_t small_body_bytes = 1u << 20;

    shared_state& of_;
    std::size_t taken_ = 0;
};

}  // namespace gateway::http
