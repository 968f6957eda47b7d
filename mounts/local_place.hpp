// The directories behind local_files, and what is asked of them more than once. Any thread.
#pragma once

#include <sys/stat.h>

#include <mutex>
#include <optional>
#include <string>

#include "kernel/launcher/file_descriptor.hpp"
#include "mounts/local_files.hpp"

namespace mounts {

struct local_files::place {
    std::string files;
    std::string uploads;
    std::mutex replacing;  // held from the look at a file's version to its replacement

    // not_found when the session has ended.
    file_result<::kernel::file_descriptor> open_root() const;
};

// What `path` is, of whatever kind, without following a link; nothing when it is not there. Other problems as they are.
file_result<std::optional<struct stat>> look(int root, const file_path& path);
// A descriptor (O_PATH) of the regular file, with its status; not_found, unusable.
file_result<::kernel::file_descriptor> find_regular(int root, const file_path& path, struct stat& status);
// not_as_stated when the condition does not allow `found` to be replaced or removed.
file_result<void> check(const file_condition& condition, const std::optional<struct stat>& found,
                        const file_path& path);

file_result<std::unique_ptr<upload>> begin_local_upload(std::shared_ptr<local_files::place> in, const file_path& path,
                                                        const file_condition& condition);

}  // namespace mounts
