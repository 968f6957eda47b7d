#include "gateway/base/mac.hpp"

#include <openssl/hmac.h>

#include "gateway/base/hex.hpp"

namespace gateway {

std::string mac_of(std::string_view key, std::string_view text) {
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), mac, &size);
    return to_hex({mac, size});
}

}  // namespace gateway
