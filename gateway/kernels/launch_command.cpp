#include "gateway/kernels/launch_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string_view>
#include <utility>

#include "gateway/kernels/hidden_places.hpp"
#include "gateway/kernels/read_only_mounts.hpp"
#include "gateway/kernels/session_python.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

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

void sort_by_target(std::vector<::kernel::bind_mount>& mounts) {
    // Parents first: a mount would hide what was bound below it before.
    std::stable_sort(mounts.begin(), mounts.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
}

std::vector<::kernel::bind_mount> box_mounts(const kernel_environment& shared, const kernel_options& options,
                                             const std::string& program, const std::string& box_directory) {
    auto mounts = read_only_mounts(shared, options.spec, program);
    mounts.insert(mounts.end(), options.mounts.begin(), options.mounts.end());
    mounts.push_back({box_directory, box_runtime, true});
    if (!shared.helper_socket_dir.empty()) mounts.push_back({shared.helper_socket_dir, box_helper, false});
    if (!shared.package_dir.empty()) mounts.push_back({shared.package_dir, box_package, false});
    auto shown = mounts;
    for (const char* each : {"/usr", "/etc", "/opt"}) shown.push_back({each, each, false});  // as every box does
    const auto covers = cover_hidden(shown, shared.hidden, shared.empty_dir);
    mounts.insert(mounts.end(), covers.begin(), covers.end());
    sort_by_target(mounts);
    return mounts;
}

// `!pip` and scripts of a virtual environment are found as in an activated one, unless someone chose a PATH.
void prefer_environment_of(const std::string& program, const kernel_options& options, environment_map& env) {
    if (options.spec.env.contains("PATH") || options.env.contains("PATH")) return;
    const auto& prefix = options.spec.hints.prefix;
    auto bin = prefix.empty() ? fs::path(program).parent_path() : fs::path(prefix) / "bin";
    if (bin.filename() == "bin" && !is_in_every_box(bin.string())) env["PATH"] = bin.string() + ":" + env["PATH"];
}

// Libraries start a thread for each processor of the machine, whatever share of them the box has.
void suit_threads_to(const ::kernel::box_limits& limits, environment_map& env) {
    if (limits.cpu_millis <= 0) return;
    const auto count = std::to_string((limits.cpu_millis + 999) / 1000);
    for (const char* each : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) env.try_emplace(each, count);
}

// What programs ask for whatever is not in the box. Session variables of these names come before.
void lead_to_proxy(const kernel_options& options, environment_map& env) {
    if (!options.own_network) return;
    const auto proxy = "http://127.0.0.1:" + std::to_string(::kernel::proxy_port);
    environment_map wanted = {{"NODE_USE_ENV_PROXY", "1"}};
    for (const char* each : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"}) wanted[each] = proxy;
    for (const char* each : {"no_proxy", "NO_PROXY"}) wanted[each] = "localhost,127.0.0.1,::1";
    for (const auto& [name, value] : wanted)
        if (!options.env.contains(name)) env[name] = value;
}

void add_entry(environment_map& env, const std::string& variable, const std::string& entry, bool first) {
    auto& value = env[variable];
    value = value.empty() ? entry : first ? entry + ":" + value : value + ":" + entry;
}

// As cellgate_kernel/packages/programs.py does it in the kernel.
void show_packages(const kernel_environment& shared, const kernelspec& spec, environment_map& env) {
    const auto python = python_of(spec);
    if (python.empty() || shared.package_dir.empty()) return;
    env["CELLGATE_PACKAGES"] = box_packages;
    env["CELLGATE_PACKAGES_OF"] = fs::path(python).parent_path().parent_path().string();
    add_entry(env, "PYTHONPATH", std::string(box_package) + "/cellgate_kernel/packages/for_programs", true);
    add_entry(env, "PATH", std::string(box_packages) + "/bin", false);
}

std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const auto& each : names) all += (all.empty() ? "" : ",") + each;
    return all;
}

::kernel::zygote_command zygote_of(const kernel_environment& shared, const kernelspec& spec,
                                   const std::string& program) {
    ::kernel::zygote_command made;
    auto preload = spec.hints.preload;
    if (!shared.package_dir.empty()) preload.push_back("cellgate_kernel");  // what every kernel of it will be given
    made.argv = {program, "--zygote", "--prefix", spec.hints.prefix};
    if (!preload.empty()) made.argv.insert(made.argv.end(), {"--preload", joined(preload)});
    made.mounts = read_only_mounts(shared, spec, program);
    if (!shared.package_dir.empty()) made.mounts.push_back({shared.package_dir, box_package, false});
    sort_by_target(made.mounts);
    // Its kernels wait for it, and for a second one if the first hangs.
    made.start_limit_ms = static_cast<std::int32_t>(shared.limits.launch_timeout.count() / 3);
    return made;
}

// Read by the loader, by Python when it starts, or by a library when it is imported: a forked kernel has that behind
// it.
bool must_be_executed(const kernel_options& options) {
    static constexpr std::array begins = {"PYTHON", "LD_", "LC_", "LANG", "OMP_", "OPENBLAS_"};
    auto is_too_late = [](const auto& each) {
        return std::any_of(begins.begin(), begins.end(), [&](auto begin) { return each.first.starts_with(begin); });
    };
    return std::any_of(options.env.begin(), options.env.end(), is_too_late) ||
           std::any_of(options.spec.env.begin(), options.spec.env.end(), is_too_late);
}

result<void> check_prefix(const kernelspec& spec) {
    const auto& prefix = spec.hints.prefix;
    if (prefix.empty() || is_executable(prefix + "/bin/python3")) return {};
    return failure{errc::kernel_start_failed,
                   "kernelspec \"" + spec.name + "\" forks its kernels from the Python environment " + prefix +
                       ", which has no bin/python3: make it (/usr/bin/python3 -m venv " + prefix +
                       "), or correct metadata.cellgate.prefix in " + spec.directory + "/kernel.json"};
}

// Of what others run or see none may be a session's to change.
result<void> check_programs(const kernel_environment& shared, const std::vector<::kernel::bind_mount>& mounts) {
    if (auto good = check_out_of_reach(mounts, shared.writable); !good) return good;
    auto read_only = mounts;  // a working directory lies in a root
    std::erase_if(read_only, [](const auto& each) { return each.writable; });
    return check_out_of_reach(read_only, shared.roots);
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
    if (spec.argv.empty())
        return failure{errc::kernel_start_failed,
                       "there is no kernelspec \"" + spec.name +
                           "\" any more: put it back and start the gateway again, or make a session with another one"};
    environment_map values = {
        {"connection_file", connection_file}, {"resource_dir", spec.directory}, {"prefix", prefix_of(spec)}};
    std::vector<std::string> argv;
    for (const auto& each : spec.argv) argv.push_back(fill_in(each, values));
    auto program = resolve_program(spec, argv.front(), env);
    if (!program) return program.error();
    argv.front() = std::move(*program);
    return argv;
}

result<::kernel::launch_request> make_launch_request(const kernel_environment& shared, const kernel_options& options,
                                                     const std::string& box_directory, const std::string& output_file) {
    auto env = kernel_environment_variables(shared.inherited_env, options.spec, options.env);
    // Where the program is looked up is not the client's to say: it is shown in the box.
    const auto own = kernel_environment_variables(shared.inherited_env, options.spec, {});
    auto argv = kernel_argv(options.spec, own, std::string(box_runtime) + "/connection.json");
    if (!argv) return argv.error();
    if (auto good = check_prefix(options.spec); !good) return good.error();
    prefer_environment_of(argv->front(), options, env);
    suit_threads_to(options.limits, env);
    lead_to_proxy(options, env);
    ::kernel::launch_request made;
    made.id = options.id;
    made.mounts = box_mounts(shared, options, argv->front(), box_directory);
    if (auto good = check_programs(shared, made.mounts); !good) return good.error();
    if (options.spec.hints.is_forked() && !must_be_executed(options))
        made.zygote = zygote_of(shared, options.spec, argv->front());
    made.argv = std::move(*argv);
    made.env = std::move(env);
    made.working_dir = options.working_dir;
    made.output_file = output_file;
    made.limits = options.limits;
    made.own_network = options.own_network;
    return made;
}

::kernel::run_request make_run_request(const kernel_environment& shared, const kernel_options& options,
                                       program_start what) {
    ::kernel::run_request made;
    made.env = kernel_environment_variables(shared.inherited_env, options.spec, options.env);
    const auto own = kernel_environment_variables(shared.inherited_env, options.spec, {});
    if (auto argv = kernel_argv(options.spec, own, {})) prefer_environment_of(argv->front(), options, made.env);
    suit_threads_to(options.limits, made.env);
    lead_to_proxy(options, made.env);
    show_packages(shared, options.spec, made.env);
    for (auto& [name, value] : what.env) made.env[name] = value;
    made.argv = std::move(what.argv);
    const fs::path kernels_own(options.working_dir);
    made.working_dir = what.working_dir.empty() ? kernels_own.string() : (kernels_own / what.working_dir).string();
    return made;
}

result<std::optional<::kernel::zygote_command>> make_zygote_command(const kernel_environment& shared,
                                                                    const kernelspec& spec) {
    if (!spec.hints.is_forked()) return std::optional<::kernel::zygote_command>();
    auto env = kernel_environment_variables(shared.inherited_env, spec, {});
    auto argv = kernel_argv(spec, env, {});
    if (!argv) return argv.error();
    if (auto good = check_prefix(spec); !good) return good.error();
    auto made = zygote_of(shared, spec, argv->front());
    if (auto good = check_programs(shared, made.mounts); !good) return good.error();
    return std::optional(std::move(made));
}

}  // namespace gateway::kernels
