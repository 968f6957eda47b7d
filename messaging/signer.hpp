// HMAC over the four JSON parts of a message, and the history that refuses a repeated one. One owner; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>

#include "messaging/error.hpp"

namespace messaging {

class signer {
  public:
    // `scheme` is "hmac-sha256", "hmac-sha512" or "hmac-md5"; an empty key signs and accepts the empty signature.
    static result<signer> make(std::string key, std::string_view scheme = "hmac-sha256");

    std::string sign(const std::array<std::string_view, 4>& parts) const;  // lower-case hex
    // Constant time; remembers the last 65,536 signatures and refuses a second use (as jupyter_client does).
    result<void> verify(const std::array<std::string_view, 4>& parts, std::string_view signature);

  private:
    signer() = default;
    std::string key_;
    std::string digest_;
    std::unordered_set<std::string> seen_;
    std::deque<std::string> order_;
};

}  // namespace messaging
