#include "gateway/kernels/hidden_places.hpp"

#include <filesystem>
#include <utility>

#include "gateway/kernels/is_under.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

// By whatever links it is named.
std::string real_path(const std::string& path) {
    std::error_code ec;
    auto real = fs::weakly_canonical(path, ec);
    return ec ? path : real.string();
}

bool exists(const std::string& path) {
    std::error_code ec;
    return fs::exists(path, ec);
}

bool is_directory(const std::string& path) {
    std::error_code ec;
    return fs::is_directory(path, ec);
}

}  // namespace

std::vector<::kernel::bind_mount> cover_hidden(const std::vector<::kernel::bind_mount>& shown,
                                               const std::vector<std::string>& hidden, const std::string& empty) {
    std::vector<std::string> places;
    for (const auto& each : hidden)
        if (auto real = real_path(each); exists(real)) places.push_back(std::move(real));
    std::vector<::kernel::bind_mount> made;
    for (const auto& each : shown) {
        const auto source = real_path(each.source);
        for (const auto& place : places)
            if (is_under(place, source))
                made.push_back({is_directory(place) ? empty : "/dev/null",
                                each.target + place.substr(source == "/" ? 0 : source.size()), false});
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
            if (is_under(each.source, place) || is_under(each.source, real) || is_under(source, real))
                return failure{errc::kernel_start_failed,
                               "kernels need " + each.source + ", which lies in " + place +
                                   ", where every session may write: take it out of there, or make that mount "
                                   "read-only"};
        }
    }
    return {};
}

}  // namespace gateway::kernels
