#include "gateway/files/link_signer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "gateway/base/hex.hpp"
#include "gateway/base/ids.hpp"
#include "gateway/http/key_store.hpp"

namespace gateway::files {
namespace {

constexpr std::size_t key_bytes = 32;

failure fail(const std::string& path, const std::string& why) {
    return {errc::io_error,
            fmt::format("the key of file links in {}: {}; remove the file, and a new one is made (links "
                        "that were given out end with it)",
                        path, why)};
}

// Empty when there is none.
result<std::string> read_key(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return std::string();
    if (file < 0) return fail(path, std::strerror(errno));
    std::string hex(2 * key_bytes + 1, '\0');
    const auto count = ::read(file, hex.data(), hex.size());
    const bool is_private = ::fchmod(file, 0600) == 0;
    ::close(file);
    if (!is_private) return fail(path, "it cannot be made private");
    hex.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    if (hex.size() != 2 * key_bytes) return fail(path, "it does not hold a key");
    return hex;
}

// Whole or not at all, however this process ends.
result<void> write_key(const std::string& path, const std::string& hex) {
    const auto fresh = path + ".new";
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return fail(fresh, std::strerror(errno));
    bool good = ::fchmod(file, 0600) == 0 &&
                ::write(file, hex.data(), hex.size()) == static_cast<ssize_t>(hex.size()) && ::fsync(file) == 0;
    good = good && ::rename(fresh.c_str(), path.c_str()) == 0;
    const int why = errno;
    ::close(file);
    if (!good) return fail(path, std::strerror(why));
    return {};
}

}  // namespace

result<link_signer> link_signer::open(const std::string& data_dir) {
    const auto path = data_dir + "/link.key";
    auto kept = read_key(path);
    if (!kept) return kept.error();
    if (!kept->empty()) return link_signer(*kept);
    auto made = make();
    if (auto written = write_key(path, made.key_); !written) return written.error();
    return made;
}

link_signer link_signer::make() { return link_signer(random_hex(key_bytes)); }

// Each part with its length where it could be taken for another's.
std::string link_signer::sign(const link& of, std::string_view expires) const {
    const auto text = fmt::format("cellgate file link 1\n{}\n{}:{}\n{}\n{}", of.method, of.session_id.size(),
                                  of.session_id, expires, of.path);
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), mac, &size);
    return to_hex({mac, size});
}

std::string link_signer::query_of(const link& of) const {
    const auto expires = std::to_string(std::chrono::system_clock::to_time_t(of.expires));
    return fmt::format("expires={}&signature={}", expires, sign(of, expires));
}

result<void> link_signer::check(link of, std::string_view expires, const std::string& signature) const {
    if (!http::equal_in_constant_time(sign(of, expires), signature))
        return failure{errc::link_refused,
                       "this link is not one that the gateway gave out for this method and path: use it "
                       "as it was given out, or ask for another"};
    long long seconds = 0;
    std::from_chars(expires.data(), expires.data() + expires.size(), seconds);
    of.expires = std::chrono::system_clock::from_time_t(static_cast<std::time_t>(seconds));
    if (std::chrono::system_clock::now() < of.expires) return {};
    return failure{errc::link_refused, "this link has expired: ask for another"};
}

}  // namespace gateway::files
