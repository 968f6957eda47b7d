// Bytes of a stdio transport to lines, of which each is a message. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/tools/id_scanner.hpp"

namespace gateway::tools {

class line_splitter {
  public:
    struct line {
        std::string text;  // empty when too long
        bool is_too_long = false;
        std::optional<std::uint64_t> too_long_id;  // whose answer it was, as far as it can be told

        bool operator==(const line&) const = default;
    };

    // A line of more than `max_bytes` is not kept.
    explicit line_splitter(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    // The lines that `bytes` complete, without their ends ("\n" or "\r\n"); empty ones are left out.
    std::vector<line> feed(std::string_view bytes);

  private:
    void append(std::string_view part);
    void finish(std::vector<line>& into);

    std::size_t max_bytes_;
    std::string text_;
    std::optional<id_scanner> skipping_;
};

}  // namespace gateway::tools
