// Slugs to tools: "EVERYTHING_GET_SUM" to toolkit "everything", tool "get-sum". Pure; owned by the toolbox; io thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/tools/mcp_content.hpp"

namespace gateway::tools {

// Upper case, everything but A-Z and 0-9 as "_".
std::string slug_part(std::string_view name);
// A slug as a caller may write it: trimmed, in upper case.
std::string normalized_slug(std::string_view slug);

class slug_table {
  public:
    struct entry {
        std::string toolkit;
        tool what;
    };

    // The tools of `toolkit` from now on. A slug that is taken gets a suffix, "_2" and so on, in the order of the
    // toolkits' names and of their lists; the answer says so, one line each, for the log; it is empty when nothing
    // changed.
    std::vector<std::string> replace(const std::string& toolkit, std::vector<tool> tools);
    const entry* find(const std::string& slug) const;  // null when unknown; until the next replace
    const std::map<std::string, entry>& entries() const { return entries_; }
    // The slugs that look most like `slug`, best first.
    std::vector<std::string> close_matches(const std::string& slug, std::size_t count) const;

  private:
    std::map<std::string, std::vector<tool>> tools_;
    std::map<std::string, entry> entries_;
};

}  // namespace gateway::tools
