// Opening what lies below a directory that someone else can write to: a path is confined by openat2 (RESOLVE_BENEATH,
// no symbolic links), never by its text. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace mounts {

// The descriptor (close-on-exec), or -1 with errno. `path` is relative to `directory`.
int open_beneath(const std::string& directory, const std::string& path, std::uint64_t flags, std::uint32_t mode = 0600);
int open_beneath(int directory, const std::string& path, std::uint64_t flags, std::uint32_t mode = 0600);
// Makes each directory of `path` below `directory` that is missing; 0, or -1 with errno.
int make_directories_beneath(const std::string& directory, const std::string& path, std::uint32_t mode = 0755);
// The same, and the descriptor (O_PATH) of the last one, of `directory` itself for an empty path; or -1 with errno.
// What is made belongs to whom `directory` belongs, whatever the umask says.
int open_directories_beneath(int directory, const std::string& path, std::uint32_t mode = 0755);

}  // namespace mounts
