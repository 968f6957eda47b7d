#include "mounts/local_place.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "mounts/confined.hpp"
#include "mounts/file_version.hpp"

namespace mounts {

using ::kernel::file_descriptor;

file_result<file_descriptor> local_files::place::open_root() const {
    file_descriptor root(::open(files.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (root) return root;
    if (errno != ENOENT) return problem_of(errno, std::string(files_in_box), "open");
    return file_problem{file_errc::not_found, "the session has ended, and its files with it: make another session"};
}

file_result<std::optional<struct stat>> look(int root, const file_path& path) {
    const file_descriptor found(open_beneath(root, path.text(), O_PATH | O_NOFOLLOW));
    if (!found && errno == ENOENT) return std::optional<struct stat>();
    if (!found) return problem_of(errno, path.text(), "use");
    struct stat status {};
    if (settled_status(found.get(), status) < 0) return problem_of(errno, path.text(), "examine");
    return std::optional(status);
}

file_result<file_descriptor> find_regular(int root, const file_path& path, struct stat& status) {
    file_descriptor found(open_beneath(root, path.text(), O_PATH | O_NOFOLLOW));
    if (!found) return problem_of(errno == ENOTDIR ? ENOENT : errno, path.text(), "read");
    if (settled_status(found.get(), status) < 0) return problem_of(errno, path.text(), "examine");
    if (S_ISREG(status.st_mode)) return found;
    const auto refuse = [&](const char* why) {
        return file_problem{file_errc::unusable, "cannot read " + path.text() + ": " + why};
    };
    if (S_ISDIR(status.st_mode)) return refuse("it is a directory: list it, with its path and a slash as the prefix");
    if (S_ISLNK(status.st_mode)) return refuse("it is a symbolic link, which is never followed: read what it leads to");
    return refuse("it is a pipe, a socket or a device, not a file");
}

file_result<void> check(const file_condition& condition, const std::optional<struct stat>& found,
                        const file_path& path) {
    const auto refuse = [&](const char* why) { return file_problem{file_errc::not_as_stated, path.text() + why}; };
    if (condition.must_not_exist && found) return refuse(" exists already: replace it without If-None-Match");
    if (!condition.must_exist && condition.versions.empty()) return {};
    if (!found) return refuse(" does not exist (any more): write it without If-Match");
    if (condition.versions.empty()) return {};
    const auto version = info_of(*found, {}).version;
    const auto& wanted = condition.versions;
    if (S_ISREG(found->st_mode) && std::find(wanted.begin(), wanted.end(), version) != wanted.end()) return {};
    return refuse(" was changed since you read it: read it again, and send the version that it has now");
}

}  // namespace mounts
