#include "kernel/zygote/threads.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

namespace kernel {
namespace {

std::string first_line(const std::filesystem::path& file) {
    std::string line;
    std::ifstream input(file);
    std::getline(input, line);
    return line;
}

}  // namespace

std::string more_than_one_thread() {
    std::vector<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task"))
        names.push_back(first_line(each.path() / "comm"));
    if (names.size() == 1) return {};
    std::string text = std::to_string(names.size()) + " threads where there may be one:";
    for (const std::string& each : names) text += " " + each;
    return text + ": something that is imported ahead has started a thread; leave it out of the preloaded modules";
}

}  // namespace kernel
