#include "gateway/kernels/read_only_mounts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "gateway/kernels/is_under.hpp"
#include "gateway/kernels/launch_command.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

// One directory of a program: its prefix when it sits in a bin, else just where it is.
std::string directory_of_program(const fs::path& program) {
    auto parent = program.parent_path();
    auto prefix = parent.filename() == "bin" ? parent.parent_path() : parent;
    // A prefix that holds the session's own places (a program in /home/user/bin) would hide them.
    return is_under(box_home, prefix.string()) ? parent.string() : prefix.string();
}

void add_read_only(std::vector<::kernel::bind_mount>& mounts, const std::string& path) {
    std::error_code ec;
    auto covered = [&](const auto& each) {
        return !each.writable && each.source == each.target && is_under(path, each.target);
    };
    if (is_in_every_box(path) || !fs::exists(path, ec)) return;
    if (std::none_of(mounts.begin(), mounts.end(), covered)) mounts.push_back({path, path, false});
}

}  // namespace

bool is_in_every_box(const std::string& path) {
    static constexpr std::array shown = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev", "/sys"};
    return path.empty() || path == "/" ||
           std::any_of(shown.begin(), shown.end(), [&](const char* each) { return is_under(path, each); });
}

std::vector<std::string> program_directories(const std::string& program) {
    std::vector<std::string> found;
    std::error_code ec;
    fs::path at = program;
    for (int links = 0; links < 40; ++links) {  // as many as Linux itself follows
        auto directory = directory_of_program(at);
        if (!is_in_every_box(directory) && std::find(found.begin(), found.end(), directory) == found.end())
            found.push_back(directory);
        if (!fs::is_symlink(at, ec)) break;
        at = (at.parent_path() / fs::read_symlink(at, ec)).lexically_normal();
    }
    return found;
}

std::vector<::kernel::bind_mount> read_only_mounts(const kernel_environment& shared, const kernelspec& spec,
                                                   const std::string& program) {
    auto paths = shared.read_only_paths;
    paths.push_back(spec.directory);
    for (auto& each : program_directories(program)) paths.push_back(std::move(each));
    if (spec.hints.is_forked()) {
        paths.push_back(spec.hints.prefix);
        for (auto& each : program_directories(spec.hints.prefix + "/bin/python3")) paths.push_back(std::move(each));
    }
    std::sort(paths.begin(), paths.end());  // a directory before what it holds, which is then covered
    std::vector<::kernel::bind_mount> mounts;
    for (const auto& each : paths) add_read_only(mounts, each);
    return mounts;
}

}  // namespace gateway::kernels
