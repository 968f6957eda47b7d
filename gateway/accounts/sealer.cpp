#include "gateway/accounts/sealer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "gateway/base/ids.hpp"

namespace gateway::accounts {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t nonce_bytes = 12;  // GCM's own size
constexpr std::size_t tag_bytes = 16;
constexpr std::string_view version = "v1:";

failure cannot(const std::string& path, const char* what) {
    return {errc::io_error, fmt::format("the accounts' key file {} {}: {}", path, what, std::strerror(errno))};
}

std::string to_hex(const std::string& bytes) {
    std::string made;
    for (unsigned char byte : bytes) made += fmt::format("{:02x}", byte);
    return made;
}

int digit(char letter) {
    if ('0' <= letter && letter <= '9') return letter - '0';
    if ('a' <= letter && letter <= 'f') return letter - 'a' + 10;
    if ('A' <= letter && letter <= 'F') return letter - 'A' + 10;
    return -1;
}

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string made;
    for (std::size_t at = 0; at < text.size(); at += 2) {
        int high = digit(text[at]), low = digit(text[at + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        made += static_cast<char>(high * 16 + low);
    }
    return made;
}

struct closed_descriptor {
    int number;
    ~closed_descriptor() {
        if (number >= 0) ::close(number);
    }
};

struct free_cipher {
    void operator()(EVP_CIPHER_CTX* of) const { EVP_CIPHER_CTX_free(of); }
};
using cipher = std::unique_ptr<EVP_CIPHER_CTX, free_cipher>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
int size_of(std::string_view text) { return static_cast<int>(text.size()); }

// The file itself, never what a link leads to; a FIFO would hold up the gateway.
result<std::string> read_private(const std::string& path) {
    closed_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (file.number < 0) return cannot(path, "cannot be read");
    struct stat about {};
    if (::fstat(file.number, &about) != 0) return cannot(path, "cannot be read");
    if (!S_ISREG(about.st_mode)) return failure{errc::io_error, fmt::format("{} is no file", path)};
    if ((about.st_mode & 077) != 0)
        return failure{errc::io_error,
                       fmt::format("the accounts' key file {} may be read by others: chmod 600 {}", path, path)};
    char text[2 * key_bytes + 2];
    auto count = ::read(file.number, text, sizeof text);
    if (count < 0) return cannot(path, "cannot be read");
    std::string found(text, static_cast<std::size_t>(count));
    OPENSSL_cleanse(text, sizeof text);
    return found;
}

// Written whole under another name first: nobody ever sees half a key. Who comes second keeps the first one's.
result<void> make_key_file(const std::string& path) {
    auto fresh = path + "." + random_hex(8);
    closed_descriptor file{::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (file.number < 0) return cannot(path, "cannot be made");
    auto text = random_hex(key_bytes) + "\n";
    bool is_written = ::write(file.number, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                      ::fsync(file.number) == 0;
    OPENSSL_cleanse(text.data(), text.size());
    bool is_there = is_written && (::link(fresh.c_str(), path.c_str()) == 0 || errno == EEXIST);
    auto why = errno;
    ::unlink(fresh.c_str());
    errno = why;
    if (!is_there) return cannot(path, "cannot be made");
    return {};
}

}  // namespace

sealer::~sealer() { OPENSSL_cleanse(key_.data(), key_.size()); }

result<sealer> sealer::open(const std::string& key_file) {
    auto text = read_private(key_file);
    if (!text) return text.error();
    if (text->ends_with('\n')) text->pop_back();
    auto bytes = from_hex(*text);
    OPENSSL_cleanse(text->data(), text->size());
    if (!bytes || bytes->size() != key_bytes)
        return failure{
            errc::io_error,
            fmt::format("the accounts' key file {} must hold 64 hex digits (openssl rand -hex 32)", key_file)};
    sealer made;
    std::memcpy(made.key_.data(), bytes->data(), key_bytes);
    OPENSSL_cleanse(bytes->data(), bytes->size());
    return made;
}

result<sealer> sealer::open_or_make(const std::string& key_file) {
    if (::access(key_file.c_str(), F_OK) != 0 && errno == ENOENT)
        if (auto made = make_key_file(key_file); !made) return made.error();
    return open(key_file);
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
    return std::string(version) + to_hex(nonce + sealed + tag);
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

}  // namespace gateway::accounts
