#include "gateway/kernels/hidden_places.hpp"

#include <filesystem>

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

// By whatever links it is named.
std::string real_path(const std::string& path) {
    std::error_code ec;
    auto real = fs::weakly_canonical(path, ec);
    return ec ? path : real.string();
}

bool holds(const std::string& directory, const std::string& path) {
    return path == directory || directory == "/" || path.starts_with(directory + "/");
}

}  // namespace

std::vector<::kernel::bind_mount> cover_hidden(const std::vector<::kernel::bind_mount>& shown,
                                               const std::vector<std::string>& hidden, const std::string& empty) {
    std::vector<::kernel::bind_mount> made;
    for (const auto& each : shown) {
        const auto source = real_path(each.source);
        for (const auto& place : hidden) {
            const auto real = real_path(place);
            std::error_code ec;
            if (holds(source, real) && fs::exists(real, ec))
                made.push_back({fs::is_directory(real, ec) ? empty : "/dev/null",
                                each.target + real.substr(source == "/" ? 0 : source.size()), false});
        }
    }
    return made;
}

result<void> check_out_of_reach(const std::vector<::kernel::bind_mount>& mounts,
                                const std::vector<std::string>& writable) {
    for (const auto& place : writable) {
        const auto real = real_path(place);
        for (const auto& each : mounts) {
            const auto source = real_path(each.source);
            if (each.writable && source == real) continue;  // that very mount
            if (holds(place, each.source) || holds(real, each.source) || holds(real, source))
                return failure{errc::kernel_start_failed,
                               "kernels need " + each.source + ", which lies in " + place +
                                   ", where every session may write: take it out of there, or make that mount "
                                   "read-only"};
        }
    }
    return {};
}

}  // namespace gateway::kernels
