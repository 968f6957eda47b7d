#include "messaging/signer.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cassert>
#include <charconv>
#include <cstdint>
#include <utility>

namespace messaging {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 3> schemes = {{
    {"hmac-sha256", "SHA256"},
    {"hmac-sha512", "SHA512"},
    {"hmac-md5", "MD5"},
}};

const char* find_digest(std::string_view scheme) {
    for (const auto& [name, digest] : schemes)
        if (name == scheme) return digest;
    return nullptr;
}

std::string to_hex(const unsigned char* bytes, std::size_t size) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string hex(2 * size, '0');
    for (std::size_t index = 0; index < size; ++index) {
        hex[2 * index] = digits[bytes[index] >> 4];
        hex[2 * index + 1] = digits[bytes[index] & 15];
    }
    return hex;
}

EVP_MAC_CTX* make_context(const std::string& key, const char* digest) {
    // Fetched once and kept: a fetch takes longer than signing a small message.
    static EVP_MAC* const hmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    if (!hmac) return nullptr;
    EVP_MAC_CTX* context = EVP_MAC_CTX_new(hmac);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, const_cast<char*>(digest), 0),
        OSSL_PARAM_construct_end(),
    };
    auto bytes = reinterpret_cast<const unsigned char*>(key.data());
    if (context && EVP_MAC_init(context, bytes, key.size(), parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return nullptr;
}

std::uint64_t first_64_bits(std::string_view hex) {
    std::uint64_t bits = 0;
    std::from_chars(hex.data(), hex.data() + 16, bits, 16);
    return bits;
}

}  // namespace

void signer::free_context::operator()(evp_mac_ctx_st* context) const { EVP_MAC_CTX_free(context); }

result<signer> signer::make(std::string key, std::string_view scheme) {
    signer made;
    if (key.empty()) return made;
    const char* digest = find_digest(scheme);
    if (digest) made.context_.reset(make_context(key, digest));
    if (!made.context_) return errc::bad_connection_file;
    return made;
}

std::string signer::sign(const std::array<std::string_view, 4>& parts) const {
    if (!context_) return {};
    EVP_MAC_CTX* context = context_.get();
    // Without a key it starts over with the one that it has.
    bool well = EVP_MAC_init(context, nullptr, 0, nullptr) == 1;
    for (auto part : parts)
        well = well && EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(part.data()), part.size()) == 1;
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    std::size_t size = 0;
    well = well && EVP_MAC_final(context, bytes.data(), &size, bytes.size()) == 1;
    assert(well);
    return well ? to_hex(bytes.data(), size) : std::string();
}

result<void> signer::verify(const std::array<std::string_view, 4>& parts, std::string_view signature) {
    return accept(sign(parts), signature);
}

result<void> signer::accept(std::string_view expected, std::string_view signature) {
    if (signature.size() != expected.size()) return errc::bad_signature;
    if (!context_) return {};
    if (expected.empty()) return errc::bad_signature;  // it could not be made
    if (CRYPTO_memcmp(signature.data(), expected.data(), expected.size()) != 0) return errc::bad_signature;
    if (!seen_.insert(first_64_bits(expected))) return errc::duplicate_signature;
    return {};
}

}  // namespace messaging
