// cellgate-kernel: one Python kernel.
#include <cstdio>
#include <exception>

#include "kernel/interpreter/options.hpp"
#include "kernel/interpreter/python_runtime.hpp"
#include "kernel/interpreter/run_kernel.hpp"

namespace {

int run_one(const kernel::options& given) {
    kernel::start_python({given.prefix, given.package_dir});
    kernel::preload_python({});
    return kernel::run_kernel(given.connection_file, [] {});
}

}  // namespace

int main(int count, char** values) {
    kernel::options given;
    int status = 0;
    if (!kernel::parse_options({values + 1, values + count}, given, status)) return status;
    try {
        return run_one(given);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cellgate-kernel: %s\n", error.what());
        return 1;
    }
}
