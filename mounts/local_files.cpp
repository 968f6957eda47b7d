#include "mounts/local_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "mounts/confined.hpp"
#include "mounts/file_listing.hpp"
#include "mounts/file_version.hpp"
#include "mounts/local_place.hpp"
#include "mounts/remove_tree.hpp"

namespace mounts {
namespace {

using ::kernel::file_descriptor;

constexpr std::size_t most_digests = 10'000;

class local_file final : public open_file {
  public:
    local_file(file_descriptor file, file_info info) : file_(std::move(file)), info_(std::move(info)) {}

    const file_info& info() const override { return info_; }

    file_result<std::string> read(std::uint64_t offset, std::size_t count) override {
        std::string bytes(count, '\0');
        std::size_t have = 0;
        while (have < count) {
            const auto done =
                ::pread(file_.get(), bytes.data() + have, count - have, static_cast<off_t>(offset + have));
            if (done < 0 && errno == EINTR) continue;
            if (done < 0) return problem_of(errno, info_.path, "read");
            if (done == 0) break;
            have += static_cast<std::size_t>(done);
        }
        bytes.resize(have);
        return bytes;
    }

  private:
    file_descriptor file_;
    file_info info_;
};

// The same file that O_PATH found, whatever its path leads to by now. O_NONBLOCK: a lease that a program took on it
// would hold us up.
file_result<file_descriptor> open_to_read(const file_descriptor& found, const file_path& path) {
    const auto itself = "/proc/self/fd/" + std::to_string(found.get());
    file_descriptor opened(::open(itself.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!opened) return problem_of(errno, path.text(), "read");
    return opened;
}

}  // namespace

local_files::local_files(std::string files, std::string uploads) : place_(std::make_shared<place>()) {
    place_->files = std::move(files);
    place_->uploads = std::move(uploads);
}

local_files::~local_files() = default;

file_result<file_info> local_files::stat(const file_path& path) {
    auto root = place_->open_root();
    if (!root) return root.error();
    struct stat status {};
    if (auto found = find_regular(root->get(), path, status); !found) return found.error();
    return info_of(status, path.text());
}

file_result<file_page> local_files::list(const std::string& prefix, const std::string& cursor, std::size_t limit) {
    auto root = place_->open_root();
    if (!root) return root.error();
    const file_descriptor directory(open_beneath(root->get(), ".", O_RDONLY | O_DIRECTORY));
    if (!directory) return problem_of(errno, std::string(files_in_box), "list");
    return list_files(directory.get(), prefix, cursor, limit);
}

file_result<std::unique_ptr<open_file>> local_files::open(const file_path& path) {
    auto root = place_->open_root();
    if (!root) return root.error();
    struct stat status {};
    auto found = find_regular(root->get(), path, status);
    if (!found) return found.error();
    auto opened = open_to_read(*found, path);
    if (!opened) return opened.error();
    return std::unique_ptr<open_file>(new local_file(std::move(*opened), info_of(status, path.text())));
}

file_result<std::unique_ptr<upload>> local_files::begin(const file_path& path, const file_condition& condition) {
    return begin_local_upload(place_, path, condition);
}

file_result<bool> local_files::remove(const file_path& path, const file_condition& condition) {
    auto root = place_->open_root();
    if (!root) return root.error();
    std::lock_guard lock(place_->replacing);
    const auto parent = path.parent();
    const file_descriptor directory(open_beneath(root->get(), parent.empty() ? "." : parent, O_PATH | O_DIRECTORY));
    if (!directory && errno != ENOENT && errno != ENOTDIR) return problem_of(errno, path.text(), "delete");
    const auto name = path.name();
    struct stat status {};
    const bool exists = directory && ::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (auto good = check(condition, exists ? std::optional(status) : std::nullopt, path); !good) return good.error();
    if (!exists) return false;
    if (auto removed = remove_tree(directory.get(), name); !removed)
        return file_problem{file_errc::failed, "cannot delete all of " + path.text() + ": " + removed.error().text};
    return true;
}

std::optional<std::string> local_files::find_sha256(const std::string& version) {
    std::lock_guard lock(digests_mutex_);
    auto found = digests_.find(version);
    return found == digests_.end() ? std::nullopt : std::optional(found->second);
}

// Which one goes when there are too many does not matter: it is computed again when it is asked for.
void local_files::keep_sha256(const std::string& version, const std::string& digest) {
    std::lock_guard lock(digests_mutex_);
    if (digests_.size() >= most_digests) digests_.erase(digests_.begin());
    digests_[version] = digest;
}

}  // namespace mounts
