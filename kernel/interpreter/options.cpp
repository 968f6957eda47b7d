#include "kernel/interpreter/options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>

namespace kernel {
namespace {

// In a box the package is at its own place; elsewhere it is where it was built.
std::string default_package() {
    constexpr const char* boxed = "/opt/cellgate/python";
    return access((std::string(boxed) + "/cellgate_shell").c_str(), R_OK) == 0 ? boxed : CELLGATE_PACKAGE_DIR;
}

}  // namespace

bool parse_options(const std::vector<std::string>& arguments, options& into, int& status) {
    CLI::App app("A Python kernel for Jupyter clients", "cellgate-kernel");
    app.set_version_flag("--version", CELLGATE_VERSION);
    into.package_dir = default_package();
    app.add_option("-f,--connection-file", into.connection_file, "Where the kernel is to listen, as Jupyter writes it");
    app.add_option("--prefix", into.prefix, "The Python environment to run in")->capture_default_str();
    app.add_option("--package", into.package_dir, "The directory that holds cellgate_shell")->capture_default_str();
    app.add_flag("--zygote", into.zygote, "Prepare an interpreter and fork kernels (started by the gateway)");
    app.add_option("--preload", into.preload, "Modules that a zygote imports ahead")->delimiter(',');
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 takes them
    try {
        app.parse(reversed);
        if (!into.zygote && into.connection_file.empty())
            throw CLI::RequiredError("-f: the file that says where to listen; jupyter_client passes it");
    } catch (const CLI::Error& error) {
        status = app.exit(error);
        return false;
    }
    return true;
}

}  // namespace kernel
