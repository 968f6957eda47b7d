#include "gateway/kernels/environment_stamp.hpp"

#include <filesystem>
#include <vector>

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

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
    auto places = package_directories(spec.hints.prefix);
    places.push_back(spec.argv.front());
    times_ = ::kernel::change_times_of(places);
}

}  // namespace gateway::kernels
