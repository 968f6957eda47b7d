#include "gateway/storage/secret_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gateway/base/ids.hpp"

namespace gateway::storage {
namespace {

constexpr std::size_t key_bytes = 32;

// What an error says besides why.
struct about {
    const std::string& path;
    const std::string& of;
    const std::string& loss;

    failure fail(const std::string& why) const {
        return {errc::io_error,
                fmt::format("the key of {} in {}: {}; remove the file, and a new one is made ({} end with it)", of,
                            path, why, loss)};
    }
};

// Empty when there is none.
result<std::string> read_key(const about& what) {
    const int file = ::open(what.path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return std::string();
    if (file < 0) return what.fail(std::strerror(errno));
    std::string hex(2 * key_bytes + 1, '\0');
    const auto count = ::read(file, hex.data(), hex.size());
    const bool is_private = ::fchmod(file, 0600) == 0;
    ::close(file);
    if (!is_private) return what.fail("it cannot be made private");
    hex.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    if (hex.size() != 2 * key_bytes) return what.fail("it does not hold a key");
    return hex;
}

// Whole or not at all, however this process ends.
result<void> write_key(const about& what, const std::string& hex) {
    const auto fresh = what.path + ".new";
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return what.fail(std::strerror(errno));
    bool good = ::fchmod(file, 0600) == 0 &&
                ::write(file, hex.data(), hex.size()) == static_cast<ssize_t>(hex.size()) && ::fsync(file) == 0;
    good = good && ::rename(fresh.c_str(), what.path.c_str()) == 0;
    const int why = errno;
    ::close(file);
    if (!good) return what.fail(std::strerror(why));
    return {};
}

}  // namespace

result<std::string> keep_secret(const std::string& path, const std::string& of, const std::string& loss) {
    const about what{path, of, loss};
    auto kept = read_key(what);
    if (!kept || !kept->empty()) return kept;
    auto made = random_hex(key_bytes);
    if (auto written = write_key(what, made); !written) return written.error();
    return made;
}

}  // namespace gateway::storage
