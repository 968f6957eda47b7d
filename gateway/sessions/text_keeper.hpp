// Keeps the head of a cell's text, and once it is longer than the limit, the whole of it in a file of the session's
// mount. Owned by a cell_book; io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {

struct text_limits {
    std::size_t characters = 40'000;
    std::uint64_t file_bytes = 1ull << 30;
};

// A line that ends a text of which something is missing: "[cellgate: cut here, MISSING: WHY]".
std::string cut_note(std::string_view missing, std::string_view why);

class text_keeper {
  public:
    // The file is FILES_DIRECTORY/.composio/output/NAME, and is named to the cell as /mnt/files/.composio/output/NAME.
    text_keeper(std::string files_directory, std::string name, text_limits limits);
    ~text_keeper();

    // Adds UTF-8 text to `kept` and, past the limit, to the file. Written at once: a page-cache write of one message is
    // cheaper than a hop to the pool, and the next cell may read the file. Where the file has not all of it, its end
    // and the kept text's end say so, and why; without a file the kept text alone does, and names none.
    void append(kept_text& kept, std::string_view text);
    // Closes the file; a later append opens it again.
    void finish();

  private:
    void write(std::string_view text);
    bool open();
    void fail(std::string why);
    void lose(std::string why);
    void say_in_file();
    std::string seen_as() const;

    std::string files_directory_;
    std::string name_;
    text_limits limits_;
    int fd_ = -1;
    std::uint64_t written_ = 0;
    std::optional<std::string> lost_;  // why the file has no more
    bool told_ = false;                // the kept text says so
    bool ends_with_line_ = true;       // what was appended, or nothing was
};

}  // namespace gateway::sessions
