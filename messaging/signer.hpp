// HMAC over the four JSON parts of a message, and the history that refuses a repeated one. One owner; one thread.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "messaging/error.hpp"
#include "messaging/signature_history.hpp"

struct evp_mac_ctx_st;  // OpenSSL's EVP_MAC_CTX

namespace messaging {

class signer {
  public:
    // `scheme` is "hmac-sha256", "hmac-sha512" or "hmac-md5"; an empty key signs and accepts the empty signature.
    static result<signer> make(std::string key, std::string_view scheme = "hmac-sha256");

    signer(signer&&) noexcept = default;
    signer& operator=(signer&&) noexcept = default;

    std::string sign(const std::array<std::string_view, 4>& parts) const;  // lower-case hex
    // Constant time; remembers the last 65,536 signatures and refuses a second use (as jupyter_client does).
    result<void> verify(const std::array<std::string_view, 4>& parts, std::string_view signature);
    // The same where another signer of this key has signed the parts already: `expected`.
    result<void> accept(std::string_view expected, std::string_view signature);

  private:
    struct free_context {
        void operator()(evp_mac_ctx_st* context) const;
    };

    signer() = default;
    std::unique_ptr<evp_mac_ctx_st, free_context> context_;  // keyed; null for an empty key
    signature_history seen_;
};

}  // namespace messaging
