// What the command line of cellgate-kernel says. A value.
#pragma once

#include <string>
#include <vector>

namespace kernel {

struct options {
    std::string connection_file;  // empty for a zygote
    bool zygote = false;
    std::string prefix = "/usr";
    std::vector<std::string> preload;
    std::string package_dir;  // holds cellgate_shell/
};

// Prints what --help and --version ask for, or what is wrong; then the status to exit with is in `status`, and the
// answer is false.
bool parse_options(const std::vector<std::string>& arguments, options& into, int& status);

}  // namespace kernel
