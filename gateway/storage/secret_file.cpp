#include "gateway/storage/secret_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gateway/base/hex.hpp"
#include "gateway/base/ids.hpp"

namespace gateway::storage {
namespace {

constexpr std::size_t key_bytes = 32;

struct closed_descriptor {
    int number;
    ~closed_descriptor() {
        if (number >= 0) ::close(number);
    }
};

failure fail(const secret_file& of, const std::string& why) {
    return {errc::io_error, fmt::format("{} in {} {}; {}", of.name, of.path, why, of.remedy)};
}
failure fail_with_errno(const secret_file& of, const char* what) {
    return fail(of, fmt::format("{}: {}", what, std::strerror(errno)));
}

// The file itself, never what a link leads to; a FIFO would hold up the gateway.
result<std::string> read_private(const secret_file& from) {
    closed_descriptor file{::open(from.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat about {};
    if (file.number < 0 || ::fstat(file.number, &about) != 0) return fail_with_errno(from, "cannot be read");
    if (!S_ISREG(about.st_mode)) return fail(from, "is not in a file");
    if ((about.st_mode & 077) != 0)
        return failure{errc::io_error,
                       fmt::format("{} in {} may be read by others: chmod 600 {}", from.name, from.path, from.path)};
    std::string text(2 * key_bytes + 2, '\0');
    auto count = ::read(file.number, text.data(), text.size());
    if (count < 0) return fail_with_errno(from, "cannot be read");
    text.resize(static_cast<std::size_t>(count));
    return text;
}

// Written whole under another name first: nobody ever sees half a key. Who comes second keeps the first one's.
result<void> make(const secret_file& which) {
    auto fresh = which.path + "." + random_hex(8);
    closed_descriptor file{::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (file.number < 0) return fail_with_errno(which, "cannot be made");
    auto text = random_hex(key_bytes) + "\n";
    bool is_written = ::write(file.number, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                      ::fsync(file.number) == 0;
    OPENSSL_cleanse(text.data(), text.size());
    bool is_there = is_written && (::link(fresh.c_str(), which.path.c_str()) == 0 || errno == EEXIST);
    auto why = errno;
    ::unlink(fresh.c_str());
    errno = why;
    if (!is_there) return fail_with_errno(which, "cannot be made");
    return {};
}

}  // namespace

result<std::string> read_secret(const secret_file& from) {
    auto text = read_private(from);
    if (!text) return text.error();
    if (text->ends_with('\n')) text->pop_back();
    auto bytes = from_hex(*text);
    OPENSSL_cleanse(text->data(), text->size());
    if (bytes && bytes->size() == key_bytes) return std::move(*bytes);
    return fail(from, "must be 64 hex digits");
}

result<std::string> keep_secret(const secret_file& in) {
    if (::access(in.path.c_str(), F_OK) != 0 && errno == ENOENT)
        if (auto made = make(in); !made) return made.error();
    return read_secret(in);
}

}  // namespace gateway::storage
