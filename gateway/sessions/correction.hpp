// Error correction as the gateway knows it: how far a cell's goes, and what was corrected in it. The correcting itself
// is the kernel's (cellgate_kernel). Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::sessions {

// From least to most.
enum class correction_mode : std::uint8_t {
    off,     // false
    report,  // "report": fails as Python would, with the suggestion in a note
    on,      // true
};
const char* to_json(correction_mode mode);
std::optional<correction_mode> parse_correction_mode(std::string_view json_text);

// One place of a cell that was read as something else than what is written there.
struct correction {
    std::uint64_t line = 1;    // from 1
    std::uint64_t column = 0;  // from 0, in characters
    std::string written;
    std::string used;
    std::string kind;  // "field_name", …: docs/api.md
};

// Of one cell: each place is told once, so that a cell with more is a program's.
inline constexpr std::size_t most_corrections = 1'000;

}  // namespace gateway::sessions
