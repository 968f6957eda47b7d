// What a ZMTP 3 peer sends us, from its greeting on, in pieces of any size: a state machine over bytes without I/O.
// Nothing is stored before its size was compared with the limits. One owner; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "messaging/error.hpp"
#include "messaging/wire.hpp"
#include "messaging/zmtp.hpp"

namespace messaging {

struct zmtp_limits {
    std::size_t frames = max_frames;
    // All frames of a message together: more than a notebook can show, less than a machine has.
    std::uint64_t message_bytes = 512ull * 1024 * 1024;
};

struct zmtp_event {
    enum kind : std::uint8_t {
        needs_more,  // all bytes were taken
        greeted,     // the peer's greeting is good: now it may have our READY
        ready,       // so is its READY: now it may have messages
        message,     // `parts`
        ping,        // to be answered by a PONG with `context`
        refused,     // a message is over a limit and is skipped; the stream goes on
        failed,      // the connection is of no more use; every further call says so
    };
    kind what = needs_more;
    frames parts = {};
    std::string context = {};
    boost::system::error_code error = {};  // of refused and failed
};

class zmtp_decoder {
  public:
    // From this size on the rest of a frame is worth reading straight into it.
    static constexpr std::size_t direct_bytes = 16 * 1024;

    explicit zmtp_decoder(zmtp_role role, zmtp_limits limits = {});

    // The next event in `bytes`; what it needed is taken from their front.
    zmtp_event next(std::string_view& bytes);

    // Room for the rest of the large frame that is under way, or for some of it; empty when there is none. What is read
    // there is reported by wrote(); the bytes after it go to next(), which is called in any case.
    std::span<char> direct();
    void wrote(std::size_t count);

  private:
    enum class place : std::uint8_t { greeting, header, body, broken };
    using step = std::optional<zmtp_event>;  // nothing: go on

    step take_greeting(std::string_view& bytes);
    step take_header(std::string_view& bytes);
    step begin_frame(unsigned char flags, std::uint64_t size);
    step take_body(std::string_view& bytes);
    void append(std::string_view piece);
    step finish_frame();
    step finish_command();
    zmtp_event fail(errc why);
    bool is_command() const { return flags_ & zmtp_command; }
    bool is_kept() const { return is_command() || !skipping_; }

    zmtp_role role_;
    zmtp_limits limits_;
    place place_ = place::greeting;
    std::array<char, zmtp_greeting_bytes> head_;  // of the greeting, later of a frame
    std::size_t head_size_ = 0;
    unsigned char flags_ = 0;
    std::uint64_t left_ = 0;  // bytes of the frame that are still to come
    std::string body_;        // of the frame; only the first filled_ bytes are its
    std::size_t filled_ = 0;
    frames parts_;                 // of the message
    std::uint64_t announced_ = 0;  // bytes of the message's frames until now
    bool skipping_ = false;        // the message is over a limit
    bool is_ready_ = false;
    errc failure_ = errc::ok;
};

}  // namespace messaging
