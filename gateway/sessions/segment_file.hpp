// One file with a run of an output log's entries. Made and unlinked on the io thread (directory work of microseconds,
// so that a closed log leaves nothing behind); written and read on the pool, at offsets that the caller keeps apart.
// Shared by the log and by reads under way: an unlinked file stays readable until the last of them lets go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/sessions/entry.hpp"

namespace gateway::sessions {

class segment_file {
  public:
    // The file must not exist; mode 0600.
    static result<std::shared_ptr<segment_file>> create(std::string path);
    ~segment_file();
    segment_file(const segment_file&) = delete;
    segment_file& operator=(const segment_file&) = delete;

    // All of the pieces, one behind the other, or none: what a failed write left is cut off again.
    result<void> write(std::uint64_t offset, const std::vector<std::string_view>& pieces);
    result<std::string> read(std::uint64_t offset, std::size_t size) const;
    void unlink();

  private:
    segment_file(std::string path, int fd);
    std::string path_;
    int fd_;
};

// Where to read, and how much.
struct segment_range {
    std::uint64_t from = 0;  // offset of a record
    std::uint64_t to = 0;    // end of the last whole record
    std::uint64_t after_seq = 0;
    std::uint64_t until_seq = 0;
    std::size_t max_bytes = 0;  // of entries; one is always taken
};

struct segment_read {
    std::vector<shared_entry> entries;
    std::uint64_t next_offset = 0;  // of the record after the last entry
    bool damaged = false;           // what follows in this file cannot be read
};

// Entries with seq in (after_seq, until_seq], in order. Holds about max_bytes, or one entry that is larger.
segment_read read_entries(const segment_file& from, segment_range where);

}  // namespace gateway::sessions
