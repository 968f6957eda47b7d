// What waits for the io thread: messages for iopub and stream text in one order, the last text still growing; and
// replies. Knows no socket. Any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernel/server/kernel_server.hpp"
#include "kernel/server/unsent_bytes.hpp"
#include "messaging/message.hpp"

namespace kernel {

struct stream_text {
    output_stream which = output_stream::out;
    parent_text parent;
    std::string text;
};

using output = std::variant<messaging::message, stream_text>;

std::size_t size_of(const output& what);

class output_queue {
  public:
    using clock = std::chrono::steady_clock;

    // Counts what is in the queue into `unsent`; what take() gave stays counted until the taker says otherwise.
    output_queue(const server_settings& settings, unsent_bytes& unsent);

    // True: the io thread, which sleeps until due(), has to look again.
    bool publish(messaging::message what);
    bool write(output_stream which, std::string_view text, const parent_text& parent);
    bool flush();
    bool send(messaging::message what);
    // Stream text, and half characters, wait no longer, and nothing more is taken in.
    void close();

    // The next outputs for iopub that are complete at `now`: at least one if there is any, then up to `bytes`, where a
    // small one counts as 1 KiB.
    std::vector<output> take(clock::time_point now, std::size_t bytes);
    std::vector<messaging::message> take_replies();
    // When take() will give something, as far as that is known now.
    std::optional<clock::time_point> due() const;

  private:
    // The first bytes of a character whose rest has not been written yet.
    struct half_character {
        std::string bytes;
        parent_text parent;
    };

    half_character& half_of(output_stream which) { return halves_[static_cast<std::size_t>(which)]; }
    void give_up_half(output_stream which);
    void begin(output_stream which, const parent_text& parent);
    bool append(std::string_view text);
    void complete();

    const std::chrono::milliseconds coalescing_;
    const std::size_t coalesced_bytes_;
    unsent_bytes& unsent_;
    mutable std::mutex mutex_;
    std::deque<output> outputs_;
    bool grows_ = false;  // the last output is text that may get more, since:
    clock::time_point since_;
    std::array<half_character, 2> halves_;
    std::vector<messaging::message> replies_;
    bool closed_ = false;
};

}  // namespace kernel
