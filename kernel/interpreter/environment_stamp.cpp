#include "kernel/interpreter/environment_stamp.hpp"

#include <sys/stat.h>

#include <algorithm>

namespace kernel {
namespace {

long long time_of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return -1;
    return found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec;
}

}  // namespace

environment_stamp::environment_stamp(const std::vector<std::string>& paths) {
    for (const auto& each : paths) times_[each] = time_of(each);
}

bool environment_stamp::has_changed() const {
    return std::any_of(times_.begin(), times_.end(),
                       [](const auto& each) { return time_of(each.first) != each.second; });
}

}  // namespace kernel
