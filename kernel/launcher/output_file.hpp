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

    // For the box, which copies it; give up with close_writer() when that is done.
    int writer() const { return writer_.get(); }
    void close_writer() { writer_.reset(); }
    // Past size_limit only the newest kept_size bytes stay. What is written in the middle of this may be lost.
    void trim();

  private:
    file_descriptor writer_;
    file_descriptor trimmer_;
};

}  // namespace kernel
