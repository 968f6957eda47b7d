// What a kernelspec becomes when it is started: program, environment, and what its box shows. Reads the file system,
// changes nothing. Values; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/kernels/kernel.hpp"

namespace gateway::kernels {

// Paths inside every box.
inline constexpr const char* box_home = "/home/user";
inline constexpr const char* box_runtime = "/run/k";        // short: some kernels refuse long ipc paths
inline constexpr const char* box_helper = "/run/cellgate";  // holds helper.sock
inline constexpr const char* box_package = "/opt/cellgate/python";
inline constexpr const char* box_packages = "/opt/cellgate/packages";  // what was installed for the session

using environment_map = std::map<std::string, std::string>;

// "${NAME}", "$NAME" and "$$" as Python's string.Template has them; what has no value stays as it is.
std::string substitute_variables(const std::string& text, const environment_map& values);

// The allow-listed environment, the spec's (substituted), the client's, and what cannot be overridden; in that order.
environment_map kernel_environment_variables(const environment_map& inherited, const kernelspec& spec,
                                             const environment_map& wanted);

// The environment that a spec was installed into: "/opt/venv" for /opt/venv/share/jupyter/kernels/x, "/usr" otherwise.
std::string prefix_of(const kernelspec& spec);

// argv with {connection_file}, {resource_dir} and {prefix} filled in and argv[0] absolute: a bare python is the one of
// the spec's prefix (or /usr/bin/python3), any other bare name is searched in the PATH of `env`.
result<std::vector<std::string>> kernel_argv(const kernelspec& spec, const environment_map& env,
                                             const std::string& connection_file);

// The whole request, with its fork server if the spec has one and no variable counts only when a process starts.
// `box_directory` is bound to /run/k and holds connection.json; `output_file` takes the output.
result<::kernel::launch_request> make_launch_request(const kernel_environment& shared, const kernel_options& options,
                                                     const std::string& box_directory, const std::string& output_file);

// A program beside the kernel: with the kernel's environment, and, beside a Python kernel, with what the programs of
// its cells have to see the session's packages (docs/packages.md). The ids are the caller's to set.
::kernel::run_request make_run_request(const kernel_environment& shared, const kernel_options& options,
                                       program_start what);

// The fork server of a spec, the same for each of its kernels; nothing when its argv is executed. Fails as its kernels
// would.
result<std::optional<::kernel::zygote_command>> make_zygote_command(const kernel_environment& shared,
                                                                    const kernelspec& spec);

}  // namespace gateway::kernels
