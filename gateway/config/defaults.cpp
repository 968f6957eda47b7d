#include <unistd.h>

#include <filesystem>

#include "gateway/config/assembly.hpp"

namespace gateway::config {
namespace {

namespace fs = std::filesystem;

std::string variable(const sources& from, const char* name) {
    auto found = from.environment.find(name);
    return found == from.environment.end() ? "" : found->second;
}

std::string default_data_dir(const sources& from) {
    auto data_home = variable(from, "XDG_DATA_HOME");
    if (!data_home.empty()) return data_home + "/cellgate";
    auto home = variable(from, "HOME");
    return home.empty() ? "/var/lib/cellgate" : home + "/.local/share/cellgate";
}

std::string default_runtime_dir(const sources& from, const std::string& data_dir) {
    auto runtime = variable(from, "XDG_RUNTIME_DIR");
    if (!runtime.empty()) return runtime + "/cellgate";
    // Root's boxes show it as another user's, which /run cannot be before Linux 6.3.
    return from.uid == 0 ? data_dir + "/run" : "/tmp/cellgate-" + std::to_string(from.uid);
}

// In a build tree the program is BUILD/gateway/main/cellgate and the launcher BUILD/kernel/launcher/cellgate-launcher.
std::string find_launcher(const fs::path& program_dir) {
    std::error_code error;
    for (const auto& place :
         {program_dir / "cellgate-launcher", program_dir / "../../kernel/launcher/cellgate-launcher"}) {
        if (fs::is_regular_file(place, error)) return place.lexically_normal().string();
    }
    return (program_dir / "cellgate-launcher").string();
}

// Installed as PREFIX/share/cellgate/python beside PREFIX/bin; otherwise the program lies somewhere in its source tree.
std::string find_package_dir(const fs::path& program_dir) {
    std::error_code error;
    auto installed = (program_dir / "../share/cellgate/python").lexically_normal();
    if (fs::is_directory(installed / "cellgate_kernel", error)) return installed.string();
    for (auto at = program_dir; at.has_relative_path(); at = at.parent_path()) {
        if (fs::is_directory(at / "kernel/python/cellgate_kernel", error)) return (at / "kernel/python").string();
    }
    return installed.string();
}

}  // namespace

void resolve_defaults(assembly& all, const sources& from) {
    auto program_dir = fs::path(from.executable).parent_path();
    auto fill = [](std::string& setting, std::string found) {
        if (setting.empty()) setting = std::move(found);
    };
    fill(all.values.storage.data_dir, default_data_dir(from));
    fill(all.values.storage.runtime_dir, default_runtime_dir(from, all.values.storage.data_dir));
    fill(all.values.kernels.launcher, find_launcher(program_dir));
    fill(all.values.kernels.package_dir, find_package_dir(program_dir));
}

sources process_sources(int argc, char** argv) {
    sources from;
    from.arguments.assign(argv + 1, argv + argc);
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string_view line = *entry;
        auto equals = line.find('=');
        if (equals != line.npos) from.environment.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    std::error_code error;
    from.working_directory = fs::current_path(error).string();
    from.executable = fs::read_symlink("/proc/self/exe", error).string();
    from.uid = getuid();
    return from;
}

}  // namespace gateway::config
