// The path of a file in a session, checked once: one or more names, none of them empty, "." or "..", no NUL, and short
// enough to be opened inside. A value; any thread. What confines it is openat2, not this check.
#pragma once

#include <string>
#include <string_view>

#include "mounts/file_problem.hpp"

namespace mounts {

inline constexpr std::string_view files_in_box = "/mnt/files";

class file_path {
  public:
    // Takes "data/a.csv", and "/data/a.csv", "/mnt/files/data/a.csv", "data/" for the same; bad_path says what to do.
    static file_result<file_path> parse(std::string_view written);

    const std::string& text() const { return text_; }  // "data/a.csv"
    std::string parent() const;                        // "data"; empty for a file at the top
    std::string name() const;                          // "a.csv"

    bool operator==(const file_path&) const = default;

  private:
    explicit file_path(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

// The beginning of paths: as above, but a part of a name will do, and nothing at all.
file_result<std::string> parse_prefix(std::string_view written);

}  // namespace mounts
