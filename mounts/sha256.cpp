#include "mounts/sha256.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace mounts {

void sha256::free_context::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

sha256::sha256() : context_(EVP_MD_CTX_new()) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("OpenSSL has no SHA-256");
}

sha256::~sha256() = default;
sha256::sha256(sha256&&) noexcept = default;

void sha256::add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

std::string sha256::finish() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), bytes, &size);
    static constexpr char digits[] = "0123456789abcdef";
    std::string hex;
    for (unsigned at = 0; at < size; ++at) {
        hex += digits[bytes[at] >> 4];
        hex += digits[bytes[at] & 15];
    }
    return hex;
}

}  // namespace mounts
