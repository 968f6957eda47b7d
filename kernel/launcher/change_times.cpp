#include "kernel/launcher/change_times.hpp"

#include <sys/stat.h>

namespace kernel {
namespace {

long long time_of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return -1;
    return found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec;
}

}  // namespace

change_times change_times_of(const std::vector<std::string>& paths) {
    change_times times;
    for (const auto& each : paths) times[each] = time_of(each);
    return times;
}

}  // namespace kernel
