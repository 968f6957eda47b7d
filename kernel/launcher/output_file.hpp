// Where a kernel's stdout and stderr go: a file of the host that only ever grows at its end, and is cut at its front.
// Owned by the launcher's service, one a box.
#pragma once

#include <string>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {

class output_file {
  public:
    static constexpr long long size_limit = 1 << 20;
    static constexpr long long kept_size = size_limit / 2;

    // Created with mode 0600; an empty path means /dev/null. Throws box_error.
    explicit output_file(const std::string& path);
    // A file without a name, for what only last_lines() shows.
    static output_file in_memory();

    // For the box, which copies it; give up with close_writer() when that is done.
    int writer() const { return writer_.get(); }
    void close_writer() { writer_.reset(); }
    // Past size_limit only the newest kept_size bytes stay. What is written in the middle of this may be lost.
    void trim();
    // The end of what was written: at most `limit` bytes, from the beginning of a line. Not for /dev/null.
    std::string last_lines(std::size_t limit) const;

  private:
    output_file(file_descriptor writer, file_descriptor trimmer);

    file_descriptor writer_;
    file_descriptor trimmer_;
};

}  // namespace kernel
