// Reads one kernelspec directory. Values; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"
#include "gateway/kernels/kernelspec.hpp"

namespace gateway::kernels {

// A kernelspec's name as jupyter_client allows it: letters, digits, '.', '_' and '-'.
bool is_kernelspec_name(std::string_view name);

// Checks what Jupyter clients rely on (argv, display_name and language are there and have their types); the message of
// a failure names the key and what is allowed. `name` and `directory` are copied into the answer.
result<kernelspec> parse_kernelspec(std::string name, std::string directory, std::string json);

// kernel.json of `directory` with its resources.
result<kernelspec> read_kernelspec(std::string name, std::string directory);

// kernel.js and kernel.css under their own names, logo-* under their stems: the keys that jupyter_server uses.
std::map<std::string, std::string> find_resources(const std::string& directory);

}  // namespace gateway::kernels
