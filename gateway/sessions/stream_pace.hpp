// How often a client that draws its output anew with each message is sent stream text. JupyterLab renders all of a
// cell's text again for every message, 0.3 s a megabyte: 100 messages of 100 KB keep its page busy for minutes. Once a
// cell has written much, the next message waits until there is as much again, or for a time that grows with it; with
// anything else than stream text it goes at once. One client's; io thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/sessions/entry.hpp"

namespace gateway::sessions {

class stream_pace {
  public:
    using clock = std::chrono::steady_clock;

    // A message of paced text has at most this much: under what is sent again to a client that was cut.
    static constexpr std::size_t most_text = 7u << 20;

    // How long these entries, which the client has not got, may wait for more; 0: they go now.
    milliseconds wait(const std::vector<shared_entry>& read, clock::time_point now) const;
    void sent(const std::vector<shared_entry>& entries, clock::time_point now);

  private:
    std::string parent_;      // of the last stream text that was sent
    std::size_t bytes_ = 0;   // of stream text with that parent
    clock::time_point last_;  // when it was sent
};

}  // namespace gateway::sessions
