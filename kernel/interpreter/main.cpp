// cellgate-kernel: one Python kernel (-f), or the zygote that kernels are forked from (--zygote).
#include <cstdio>
#include <exception>

#include "kernel/interpreter/options.hpp"
#include "kernel/interpreter/python_forkable.hpp"
#include "kernel/interpreter/python_runtime.hpp"
#include "kernel/interpreter/run_kernel.hpp"
#include "kernel/zygote/fork_server.hpp"

namespace {

int serve_forks(const kernel::options& given) {
    kernel::python_forkable python(given);
    return kernel::fork_server(python, kernel::zygote_socket).run();
}

[[noreturn]] void run_one(const kernel::options& given) {
    kernel::start_python({given.prefix, given.package_dir});
    kernel::preload_python({});
    kernel::run_kernel(given.connection_file, [] {});
}

}  // namespace

int main(int count, char** values) {
    kernel::options given;
    int status = 0;
    if (!kernel::parse_options({values + 1, values + count}, given, status)) return status;
    try {
        if (given.zygote) return serve_forks(given);
        run_one(given);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cellgate-kernel: %s\n", error.what());
        return 1;
    }
}
