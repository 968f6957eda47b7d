// How long the next bytes of a body may be awaited: a peer may be silent for a while, and in the long run not slower
// than so many bytes a second. What is saved up by being faster is worth one silence at most. A state machine without
// I/O; one for each direction of a connection.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace gateway::http {

class pace {
  public:
    // `bytes_per_s` 0: only silence counts.
    pace(std::chrono::milliseconds silence, std::size_t bytes_per_s)
        : silence_(silence), left_(silence), bytes_per_s_(static_cast<double>(bytes_per_s)) {}

    void begin() { left_ = silence_; }
    std::chrono::milliseconds left() const { return std::chrono::duration_cast<std::chrono::milliseconds>(left_); }
    // So many bytes went, for which the peer was awaited so long: our own time does not count.
    void add(std::chrono::duration<double, std::milli> waited, std::size_t bytes) {
        const auto earned =
            bytes_per_s_ > 0 ? milliseconds(1000 * static_cast<double>(bytes) / bytes_per_s_) : silence_;
        left_ = std::clamp(left_ - waited + earned, milliseconds(0), silence_);
    }

  private:
    using milliseconds = std::chrono::duration<double, std::milli>;

    milliseconds silence_;
    milliseconds left_;
    double bytes_per_s_;
};

}  // namespace gateway::http
