#include "mounts/file_version.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <ctime>

namespace mounts {
namespace {

constexpr int most_ticks = 3;  // a file that is written all the time never settles

std::int64_t since_epoch(const timespec& when) { return std::int64_t{1'000'000'000} * when.tv_sec + when.tv_nsec; }

std::int64_t current_tick() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return since_epoch(now);
}

}  // namespace

bool may_change_unseen(const struct stat& status) { return since_epoch(status.st_mtim) == current_tick(); }

void wait_for_tick() {
    const auto before = current_tick();
    for (int turn = 0; turn < 20 && current_tick() == before; ++turn) {
        const timespec half_a_millisecond{0, 500'000};
        ::nanosleep(&half_a_millisecond, nullptr);
    }
}

int settled_status(int fd, struct stat& into) {
    for (int turn = 0;; ++turn) {
        if (::fstat(fd, &into) < 0) return -1;
        if (turn == most_ticks || !may_change_unseen(into)) return 0;
        wait_for_tick();
    }
}

file_info info_of(const struct stat& status, std::string path) {
    using clock = std::chrono::system_clock;
    file_info made;
    made.path = std::move(path);
    made.size = static_cast<std::uint64_t>(status.st_size);
    const std::chrono::nanoseconds modified(since_epoch(status.st_mtim));
    made.modified = clock::time_point(std::chrono::duration_cast<clock::duration>(modified));
    made.version = fmt::format("{:x}-{:x}-{:x}-{:x}", status.st_size, since_epoch(status.st_mtim), status.st_ino,
                               since_epoch(status.st_ctim));
    return made;
}

}  // namespace mounts
