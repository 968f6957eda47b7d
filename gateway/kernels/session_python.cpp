#include "gateway/kernels/session_python.hpp"

#include <unistd.h>

#include <filesystem>
#include <vector>

#include "gateway/kernels/launch_command.hpp"

namespace gateway::kernels {

std::string python_of(const kernelspec& spec) {
    if (!spec.is_python()) return {};
    std::vector<std::string> places;
    if (!spec.hints.prefix.empty()) places.push_back(spec.hints.prefix + "/bin/python3");
    const auto program = spec.argv.empty() ? std::string() : spec.argv.front();
    if (program.starts_with('/')) {
        const std::filesystem::path path(program);
        // Some kernels are programs beside the interpreter whose modules they import.
        places.push_back(path.filename().string().starts_with("python") ? program
                                                                        : (path.parent_path() / "python3").string());
    }
    places.push_back(prefix_of(spec) + "/bin/python3");
    for (const auto& each : places)
        if (std::error_code ec; std::filesystem::is_regular_file(each, ec) && ::access(each.c_str(), X_OK) == 0)
            return each;
    return {};
}

}  // namespace gateway::kernels
