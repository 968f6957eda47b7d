// Records on their way to a file: what is small is copied, a large text stays where it lies in its entry, which
// outlives this. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sessions {

class record_bytes {
  public:
    void put(std::string_view text);
    void put(char byte) { copied_.push_back(byte); }

    // Room for a number that is known later.
    struct gap {
        std::size_t at = 0;
    };
    gap leave(std::size_t bytes);
    void fill(gap where, std::string_view bytes) { copied_.replace(where.at, bytes.size(), bytes); }

    std::size_t size() const { return copied_.size() + lent_bytes_; }
    // All bytes in order; valid until the next put().
    std::vector<std::string_view> pieces() const;

  private:
    struct loan {
        std::size_t at;  // in copied_: it goes before what is there
        std::string_view text;
    };

    std::string copied_;
    std::vector<loan> lent_;
    std::size_t lent_bytes_ = 0;
};

}  // namespace gateway::sessions
