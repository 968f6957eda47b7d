#include "gateway/storage/sealer.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstring>
#include <memory>
#include <utility>

#include "gateway/base/hex.hpp"

namespace gateway::storage {
namespace {

constexpr std::size_t nonce_bytes = 12;  // GCM's own size
constexpr std::size_t tag_bytes = 16;
constexpr std::string_view version = "v1:";

struct free_cipher {
    void operator()(EVP_CIPHER_CTX* of) const { EVP_CIPHER_CTX_free(of); }
};
using cipher = std::unique_ptr<EVP_CIPHER_CTX, free_cipher>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
int size_of(std::string_view text) { return static_cast<int>(text.size()); }

}  // namespace

sealer::~sealer() { OPENSSL_cleanse(key_.data(), key_.size()); }

sealer::sealer(std::string key) {
    std::memcpy(key_.data(), key.data(), key_.size());
    OPENSSL_cleanse(key.data(), key.size());
}

result<sealer> sealer::open(const secret_file& key_file) {
    auto key = read_secret(key_file);
    if (!key) return key.error();
    return sealer(std::move(*key));
}

result<sealer> sealer::open_or_make(const secret_file& key_file) {
    auto key = keep_secret(key_file);
    if (!key) return key.error();
    return sealer(std::move(*key));
}

result<std::string> sealer::seal(std::string_view secret, std::string_view bound) const {
    std::string nonce(nonce_bytes, '\0'), sealed(secret.size(), '\0'), tag(tag_bytes, '\0');
    cipher with(EVP_CIPHER_CTX_new());
    int written = 0, rest = 0;
    bool is_sealed =
        with && RAND_bytes(bytes_of(nonce), nonce_bytes) == 1 &&
        EVP_EncryptInit_ex(with.get(), EVP_aes_256_gcm(), nullptr, key_.data(), bytes_of(nonce)) == 1 &&
        EVP_EncryptUpdate(with.get(), nullptr, &written, bytes_of(bound), size_of(bound)) == 1 &&
        EVP_EncryptUpdate(with.get(), bytes_of(sealed), &written, bytes_of(secret), size_of(secret)) == 1 &&
        EVP_EncryptFinal_ex(with.get(), bytes_of(sealed) + written, &rest) == 1 &&
        EVP_CIPHER_CTX_ctrl(with.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, tag.data()) == 1;
    if (!is_sealed) return failure{errc::internal_error, "a secret could not be sealed"};
    const auto all = nonce + sealed + tag;
    return std::string(version) + to_hex({bytes_of(std::string_view(all)), all.size()});
}

result<std::string> sealer::open(std::string_view sealed, std::string_view bound) const {
    failure wrong{errc::io_error, "it is not what was stored, or the key file is not the one it was stored with"};
    if (!sealed.starts_with(version)) return wrong;
    auto bytes = from_hex(sealed.substr(version.size()));
    if (!bytes || bytes->size() < nonce_bytes + tag_bytes) return wrong;
    auto nonce = bytes->substr(0, nonce_bytes);
    auto tag = bytes->substr(bytes->size() - tag_bytes);
    auto inner = bytes->substr(nonce_bytes, bytes->size() - nonce_bytes - tag_bytes);
    std::string secret(inner.size(), '\0');
    cipher with(EVP_CIPHER_CTX_new());
    int written = 0, rest = 0;
    bool is_opened = with &&
                     EVP_DecryptInit_ex(with.get(), EVP_aes_256_gcm(), nullptr, key_.data(), bytes_of(nonce)) == 1 &&
                     EVP_DecryptUpdate(with.get(), nullptr, &written, bytes_of(bound), size_of(bound)) == 1 &&
                     EVP_DecryptUpdate(with.get(), bytes_of(secret), &written, bytes_of(inner), size_of(inner)) == 1 &&
                     EVP_CIPHER_CTX_ctrl(with.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, tag.data()) == 1 &&
                     EVP_DecryptFinal_ex(with.get(), bytes_of(secret) + written, &rest) == 1;
    if (is_opened) return secret;
    OPENSSL_cleanse(secret.data(), secret.size());
    return wrong;
}

}  // namespace gateway::storage
