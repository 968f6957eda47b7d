#include "gateway/kernels/launch_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <string_view>
#include <utility>

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

bool is_under(const std::string& path, const std::string& directory) {
    return path == directory || path.compare(0, directory.size() + 1, directory + "/") == 0;
}

// What the box shows of the host anyway, or fills with its own.
bool is_in_every_box(const std::string& path) {
    static constexpr std::array shown = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev", "/sys"};
    return path.empty() || path == "/" ||
           std::any_of(shown.begin(), shown.end(), [&](const char* each) { return is_under(path, each); });
}

bool is_executable(const std::string& path) {
    std::error_code ec;
    return fs::is_regular_file(path, ec) && ::access(path.c_str(), X_OK) == 0;
}

std::string native_python(const std::string& prefix) {
    auto own = prefix + "/bin/python";
    return is_executable(own) ? own : "/usr/bin/python3";
}

std::string find_in_path(const std::string& name, const environment_map& env) {
    auto given = env.find("PATH");
    std::string path = given == env.end() ? "" : given->second;
    for (std::size_t at = 0; at <= path.size();) {
        auto colon = std::min(path.find(':', at), path.size());
        auto candidate = path.substr(at, colon - at) + "/" + name;
        if (candidate.front() == '/' && candidate.size() > name.size() + 1 && is_executable(candidate))
            return candidate;
        at = colon + 1;
    }
    return {};
}

result<std::string> resolve_program(const kernelspec& spec, const std::string& name, const environment_map& env) {
    static const std::regex bare_python("python(3(\\.[0-9]+)?)?");
    auto found = name;
    if (std::regex_match(name, bare_python))
        found = native_python(prefix_of(spec));
    else if (name.find('/') == std::string::npos)
        found = find_in_path(name, env);
    if (!found.empty() && found.front() == '/' && is_executable(found)) return found;
    return failure{errc::kernel_start_failed, "kernelspec \"" + spec.name + "\" starts \"" + name +
                                                  "\", which is no program here: correct argv in " + spec.directory +
                                                  "/kernel.json, or install the kernel again"};
}

std::string fill_in(const std::string& text, const environment_map& values) {
    static const std::regex field("\\{([A-Za-z0-9_]+)\\}");
    std::string out;
    auto rest = text.cbegin();
    for (std::sregex_iterator each(text.begin(), text.end(), field), end; each != end; ++each) {
        auto value = values.find((*each)[1].str());
        out.append(rest, (*each)[0].first);
        out += value == values.end() ? each->str() : value->second;
        rest = (*each)[0].second;
    }
    return out.append(rest, text.cend());
}

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

std::vector<::kernel::bind_mount> box_mounts(const kernel_environment& shared, const kernel_options& options,
                                             const std::string& program, const std::string& box_directory) {
    auto read_only = shared.read_only_paths;
    read_only.push_back(options.spec.directory);
    for (auto& each : program_directories(program)) read_only.push_back(std::move(each));
    std::sort(read_only.begin(), read_only.end());  // a directory before what it holds, which is then covered
    std::vector<::kernel::bind_mount> mounts;
    for (const auto& each : read_only) add_read_only(mounts, each);
    mounts.insert(mounts.end(), options.mounts.begin(), options.mounts.end());
    mounts.push_back({box_directory, box_runtime, true});
    if (!shared.helper_socket_dir.empty()) mounts.push_back({shared.helper_socket_dir, box_helper, false});
    if (!shared.package_dir.empty()) mounts.push_back({shared.package_dir, box_package, false});
    // Parents first: a mount would hide what was bound below it before.
    std::stable_sort(mounts.begin(), mounts.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
    return mounts;
}

// `!pip` and scripts of a virtual environment are found as in an activated one, unless someone chose a PATH.
void prefer_environment_of(const std::string& program, const kernel_options& options, environment_map& env) {
    if (options.spec.env.contains("PATH") || options.env.contains("PATH")) return;
    auto bin = fs::path(program).parent_path();
    if (bin.filename() == "bin" && !is_in_every_box(bin.string())) env["PATH"] = bin.string() + ":" + env["PATH"];
}

}  // namespace

std::string substitute_variables(const std::string& text, const environment_map& values) {
    static const std::regex variable("\\$(?:(\\$)|([A-Za-z_][A-Za-z0-9_]*)|\\{([A-Za-z_][A-Za-z0-9_]*)\\})");
    std::string out;
    auto rest = text.cbegin();
    for (std::sregex_iterator each(text.begin(), text.end(), variable), end; each != end; ++each) {
        const auto& match = *each;
        auto value = values.find(match[2].matched ? match[2].str() : match[3].str());
        out.append(rest, match[0].first);
        if (match[1].matched)
            out += "$";
        else
            out += value == values.end() ? match.str() : value->second;
        rest = match[0].second;
    }
    return out.append(rest, text.cend());
}

environment_map kernel_environment_variables(const environment_map& inherited, const kernelspec& spec,
                                             const environment_map& wanted) {
    environment_map env = inherited;
    env.try_emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
    env.try_emplace("LANG", "C.UTF-8");
    env["HOME"] = box_home;
    env["USER"] = env["LOGNAME"] = "user";
    auto values = env;
    for (const auto& [key, value] : wanted) values[key] = value;
    for (const auto& [key, value] : spec.env) env[key] = substitute_variables(value, values);
    for (const auto& [key, value] : wanted) env[key] = value;
    env["KERNEL_GATEWAY"] = "1";
    env.erase("JPY_PARENT_PID");  // in a pid namespace ipykernel would see that parent as gone and exit
    return env;
}

std::string prefix_of(const kernelspec& spec) {
    constexpr std::string_view middle = "/share/jupyter/kernels/";
    auto at = spec.directory.rfind(middle);
    if (at == std::string::npos || at == 0) return "/usr";
    return spec.directory.substr(0, at);
}

result<std::vector<std::string>> kernel_argv(const kernelspec& spec, const environment_map& env,
                                             const std::string& connection_file) {
    environment_map values = {
        {"connection_file", connection_file}, {"resource_dir", spec.directory}, {"prefix", prefix_of(spec)}};
    std::vector<std::string> argv;
    for (const auto& each : spec.argv) argv.push_back(fill_in(each, values));
    auto program = resolve_program(spec, argv.front(), env);
    if (!program) return program.error();
    argv.front() = std::move(*program);
    return argv;
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

result<::kernel::launch_request> make_launch_request(const kernel_environment& shared, const kernel_options& options,
                                                     const std::string& box_directory, const std::string& output_file) {
    auto env = kernel_environment_variables(shared.inherited_env, options.spec, options.env);
    auto argv = kernel_argv(options.spec, env, std::string(box_runtime) + "/connection.json");
    if (!argv) return argv.error();
    prefer_environment_of(argv->front(), options, env);
    ::kernel::launch_request made;
    made.id = options.id;
    made.mounts = box_mounts(shared, options, argv->front(), box_directory);
    made.argv = std::move(*argv);
    made.env = std::move(env);
    made.working_dir = options.working_dir;
    made.output_file = output_file;
    return made;
}

}  // namespace gateway::kernels
