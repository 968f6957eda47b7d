// A file as a block device. Held open by whoever mounts it; Linux takes it apart when nobody has it open or mounted any
// more, also after a process that was killed. Root only; waits for at most ten seconds.
#pragma once

#include <string>

#include "kernel/launcher/file_descriptor.hpp"
#include "mounts/problem.hpp"

namespace mounts {

class loop_device {
  public:
    // The one that shows `image` (an open descriptor, for reading and writing) already, or else a new one: two for one
    // file would not know of each other.
    static result<loop_device> of(int image);

    const std::string& path() const { return path_; }
    // The image is longer than it was.
    void grow() const;

  private:
    loop_device(::kernel::file_descriptor opened, std::string path)
        : opened_(std::move(opened)), path_(std::move(path)) {}
    static result<loop_device> make(int image);
    static result<loop_device> find(int image);

    ::kernel::file_descriptor opened_;
    std::string path_;
};

}  // namespace mounts
