#include "gateway/kernels/environment_stamp.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <vector>

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

long long time_of(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return -1;
    return found.st_mtim.tv_sec * 1'000'000'000LL + found.st_mtim.tv_nsec;
}

// Debian's own Python has dist-packages, one directory above those of its versions.
std::vector<std::string> package_directories(const std::string& prefix) {
    std::vector<std::string> found;
    std::error_code ec;
    for (fs::directory_iterator each(prefix + "/lib", ec), end; !ec && each != end; each.increment(ec)) {
        if (!each->path().filename().string().starts_with("python3")) continue;
        for (const char* name : {"/site-packages", "/dist-packages"}) found.push_back(each->path().string() + name);
    }
    return found;
}

}  // namespace

environment_stamp::environment_stamp(const kernelspec& spec) {
    if (!spec.hints.is_forked()) return;
    times_[spec.argv.front()] = time_of(spec.argv.front());
    for (const auto& each : package_directories(spec.hints.prefix)) times_[each] = time_of(each);
}

}  // namespace gateway::kernels
