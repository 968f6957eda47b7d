#include "gateway/tools/code_fence.hpp"

#include <algorithm>
#include <optional>

namespace gateway::tools {
namespace {

constexpr std::string_view blank = " \t\r\n";
constexpr std::size_t shortest_fence = 3;

std::string_view trimmed(std::string_view text) {
    auto first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

struct fence {
    char mark = '`';
    std::size_t length = 0;
};

// "```", "```json", "~~~~": CommonMark 0.31, section 4.5.
std::optional<fence> opening(std::string_view line) {
    if (line.empty() || (line.front() != '`' && line.front() != '~')) return std::nullopt;
    fence found{line.front(), std::min(line.find_first_not_of(line.front()), line.size())};
    if (found.length < shortest_fence) return std::nullopt;
    bool is_code_span = found.mark == '`' && line.find('`', found.length) != std::string_view::npos;
    return is_code_span ? std::nullopt : std::optional(found);
}

bool closes(const fence& open, std::string_view line) {
    line = trimmed(line);
    return line.size() >= open.length && line.find_first_not_of(open.mark) == std::string_view::npos;
}

}  // namespace

std::string without_fence(std::string_view text) {
    auto block = trimmed(text);
    auto end_of_first = block.find('\n');
    if (end_of_first == std::string_view::npos) return std::string(text);
    auto open = opening(trimmed(block.substr(0, end_of_first)));
    if (!open) return std::string(text);
    auto inside = block.substr(end_of_first + 1);
    // The first line that closes the block must be the last one: otherwise there is text after it.
    for (std::size_t at = 0; at <= inside.size();) {
        auto end = inside.find('\n', at);
        auto line = inside.substr(at, end == std::string_view::npos ? end : end - at);
        if (closes(*open, line)) {
            if (end != std::string_view::npos) break;
            auto content = inside.substr(0, at);
            if (!content.empty()) content.remove_suffix(1);
            if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
            return std::string(content);
        }
        if (end == std::string_view::npos) break;
        at = end + 1;
    }
    return std::string(text);
}

}  // namespace gateway::tools
