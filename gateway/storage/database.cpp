#include "gateway/storage/database.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "gateway/storage/problem.hpp"
#include "gateway/storage/schema.hpp"
#include "gateway/storage/statement.hpp"

namespace gateway::storage {
namespace {

constexpr int busy_time_ms = 2000;

failure io_failure(const std::string& path) {
    return failure{errc::io_error, fmt::format("{}: {}: set storage.data_dir to a directory that can be written", path,
                                               std::strerror(errno))};
}

// Made before SQLite opens it, which would take the umask's mode; its -wal and -shm files copy the mode. One that is
// there is never opened here: to close it would drop the locks of every connection that this process has to it
// (fcntl(2)), and another process that ends would take their -wal away.
result<void> make_private_file(const std::string& path) {
    int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) ::close(fd);
    struct stat about {};
    if (fd < 0 && errno != EEXIST) return io_failure(path);
    if (::lstat(path.c_str(), &about) != 0) return io_failure(path);
    if (S_ISLNK(about.st_mode)) errno = ELOOP;
    if (S_ISLNK(about.st_mode) || ::chmod(path.c_str(), 0600) != 0) return io_failure(path);
    return {};
}

result<void> make_private_directory(const std::string& path) {
    std::error_code ec;
    if (std::filesystem::is_directory(path, ec)) return {};
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return io_failure(path);
    return {};
}

}  // namespace

void database::close_database::operator()(sqlite3* of) const { sqlite3_close_v2(of); }

result<database> database::open(const std::string& data_dir) {
    if (auto made = make_private_directory(data_dir); !made) return made.error();
    auto path = data_dir + "/cellgate.db";
    if (auto made = make_private_file(path); !made) return made.error();
    sqlite3* handle = nullptr;
    int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, nullptr);
    database opened(handle);
    if (code != SQLITE_OK) return describe(path, code, sqlite3_errstr(code));
    sqlite3_busy_timeout(handle, busy_time_ms);
    if (auto set = execute(handle, "PRAGMA journal_mode = WAL"); !set) return set.error();
    if (auto renewed = bring_to_newest(handle); !renewed) return renewed.error();
    return opened;
}

bool database::empty_log() {
    sqlite3_busy_timeout(get(), 0);
    statement run(get(), "PRAGMA wal_checkpoint(TRUNCATE)");
    auto row = run.step();
    bool is_done = row && *row && run.integer(0) == 0;
    sqlite3_busy_timeout(get(), busy_time_ms);
    return is_done;
}

result<transaction> transaction::begin(sqlite3* on) {
    if (auto begun = execute(on, "BEGIN IMMEDIATE"); !begun) return begun.error();
    return transaction(on);
}

result<void> transaction::commit() {
    if (auto done = execute(on_, "COMMIT"); !done) return done;
    on_ = nullptr;
    return {};
}

transaction::transaction(transaction&& other) noexcept : on_(std::exchange(other.on_, nullptr)) {}

transaction::~transaction() {
    if (on_ && sqlite3_get_autocommit(on_) == 0) (void)execute(on_, "ROLLBACK");
}

}  // namespace gateway::storage
