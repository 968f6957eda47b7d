// Lines that a program writes to stderr, for the gateway's log at debug: bounded, so that a program cannot flood it.
// Pure; owned by a stdio transport.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::tools {

class stderr_log {
  public:
    // The lines to log now. After `max_lines` of a program's life comes one that says so, then no more.
    std::vector<std::string> feed(std::string_view bytes);

    static constexpr std::size_t max_lines = 500;
    static constexpr std::size_t max_line_bytes = 1000;

  private:
    void finish(std::vector<std::string>& into);

    std::string line_;
    std::size_t lines_ = 0;
};

}  // namespace gateway::tools
