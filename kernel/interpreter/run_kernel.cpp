#include "kernel/interpreter/run_kernel.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "kernel/interpreter/kernel_process.hpp"

namespace kernel {
namespace {

messaging::connection_info read_connection_file(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw std::runtime_error("cannot read the connection file " + path);
    auto parsed = messaging::parse_connection_file(text.str());
    if (!parsed) throw std::runtime_error("the connection file " + path + ": " + parsed.error().message());
    return *parsed;
}

}  // namespace

void run_kernel(const std::string& connection_file, const std::function<void()>& bound) {
    kernel_process process(read_connection_file(connection_file));
    int status = process.run(bound);
    // Python's own finalisation costs 0.1 s and waits for what cells left running; what must be done at the end has
    // been done.
    _exit(status);
}

}  // namespace kernel
