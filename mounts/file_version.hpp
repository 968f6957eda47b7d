// A file's version, from its status: size, times and inode. Any thread.
#pragma once

#include <sys/stat.h>

#include <string>

#include "mounts/file_store.hpp"

namespace mounts {

// The times of a file are those of the kernel's last tick (1 to 10 ms): of two writes within one tick the second would
// leave the version as it was. Whether `status` is of a file that was written in the tick that it is now.
bool may_change_unseen(const struct stat& status);
// Waits for the next tick.
void wait_for_tick();
// fstat(), and again after a tick while may_change_unseen(), a few times at most. 0, or -1 with errno.
int settled_status(int fd, struct stat& into);

// `path` is as the caller writes it.
file_info info_of(const struct stat& status, std::string path);

}  // namespace mounts
