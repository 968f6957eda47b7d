// The file system in which what sessions write has limits: one sparse file, DIRECTORY/sessions.btrfs, mounted at
// DIRECTORY/disk of this process's mount namespace (the machine's, as a rule) for as long as the value lives. What a
// killed process left mounted, the next one takes over. Needs root, loop devices, mkfs.btrfs and Linux 6.7. One owner
// in the gateway, which holds a lock on DIRECTORY.
//   disk/sessions/   session_directories
#pragma once

#include <cstdint>
#include <string>

#include "mounts/problem.hpp"

namespace mounts {

class disk_image {
  public:
    // An image of `bytes` (0: half of what is free beside it) is made when there is none; one that is smaller than
    // `bytes` grows, one that is larger stays. Takes 0.1 to 0.2 s. The problem is the reason why sessions have no
    // limit.
    static result<disk_image> open(const std::string& directory, std::uint64_t bytes);
    // Makes one in `directory`, fills a subvolume to its limit, and removes all that again.
    static result<void> try_out(const std::string& directory);

    disk_image(disk_image&& other) noexcept;
    disk_image& operator=(disk_image&&) = delete;
    ~disk_image();  // what is still open in it keeps it alive, unseen

    std::string sessions() const { return mount_point_ + "/sessions"; }
    // Not empty when the file system that holds the image has not the space that the image promises.
    const std::string& warning() const { return warning_; }

  private:
    explicit disk_image(std::string mount_point) : mount_point_(std::move(mount_point)) {}
    result<void> begin(const std::string& path, std::uint64_t bytes);
    result<void> use(const std::string& path, std::uint64_t bytes);
    result<void> mount(int image);
    result<void> prepare(bool grown);

    std::string mount_point_;  // empty: moved from
    std::string warning_;
};

}  // namespace mounts
