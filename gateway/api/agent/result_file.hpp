// The whole text of a cell's result, in a file of the session's mount, when its JSON shows only the head. io thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::api::agent {

// The first `characters` code points of UTF-8 text; all of it when it has no more.
std::string_view head_of(std::string_view text, std::size_t characters);

struct kept_result {
    std::string file;  // as the session sees it; empty when it cannot be written
    std::string note;  // ends the head when the file has not all of it
};

// Writes it once for a cell, at most `most_bytes` of it.
kept_result keep_result(const std::string& files_directory, const std::string& cell_id, std::string_view text,
                        std::uint64_t most_bytes);

}  // namespace gateway::api::agent
