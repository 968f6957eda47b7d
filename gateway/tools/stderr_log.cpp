#include "gateway/tools/stderr_log.hpp"

#include <utility>

namespace gateway::tools {
namespace {

// Control characters could write other lines, or colours, into a terminal.
char printable(char letter) {
    auto code = static_cast<unsigned char>(letter);
    return code < 0x20 || code == 0x7f ? ' ' : letter;
}

}  // namespace

std::vector<std::string> stderr_log::feed(std::string_view bytes) {
    std::vector<std::string> made;
    for (char letter : bytes) {
        if (letter == '\n') {
            finish(made);
        } else if (line_.size() < max_line_bytes) {
            line_ += printable(letter);
        }
    }
    return made;
}

void stderr_log::finish(std::vector<std::string>& into) {
    auto line = std::exchange(line_, std::string());
    if (line.empty() || lines_ > max_lines) return;
    into.push_back(++lines_ > max_lines ? "(more is not logged until the server starts again)" : std::move(line));
}

}  // namespace gateway::tools
