#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "mounts/confined.hpp"
#include "mounts/file_version.hpp"
#include "mounts/local_place.hpp"
#include "mounts/sha256.hpp"

namespace mounts {
namespace {

using ::kernel::file_descriptor;

constexpr mode_t file_mode = 0644;

std::string random_name() {
    unsigned long long numbers[2] = {};
    (void)!::getrandom(numbers, sizeof numbers, 0);
    return fmt::format("{:016x}{:016x}", numbers[0], numbers[1]);
}

class local_upload final : public upload {
  public:
    local_upload(std::shared_ptr<local_files::place> in, file_path path, file_condition condition)
        : in_(std::move(in)), path_(std::move(path)), condition_(std::move(condition)) {}

    ~local_upload() override {
        if (!name_.empty()) ::unlinkat(uploads_.get(), name_.c_str(), 0);
    }

    file_result<void> start() {
        uploads_.reset(::open(in_->uploads.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!uploads_) return fail();
        // Without a name it is gone with its descriptor, however this process ends. Not every file system has that.
        file_.reset(::openat(uploads_.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
        if (!file_ && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
            name_ = random_name();
            file_.reset(
                ::openat(uploads_.get(), name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
        }
        if (!file_) return fail();
        return {};
    }

    file_result<void> write(std::string_view bytes) override {
        digest_.add(bytes);
        while (!bytes.empty()) {
            const auto done = ::write(file_.get(), bytes.data(), bytes.size());
            if (done < 0 && errno == EINTR) continue;
            if (done < 0) return fail();
            bytes.remove_prefix(static_cast<std::size_t>(done));
        }
        return {};
    }

    file_result<written_file> commit() override {
        auto root = in_->open_root();
        if (!root) return root.error();
        if (auto done = prepare(root->get()); !done) return done.error();
        std::lock_guard lock(in_->replacing);
        auto found = look(root->get(), path_);
        if (!found) return found.error();
        if (auto good = check(condition_, *found, path_); !good) return good.error();
        if (auto done = put_in_place(root->get()); !done) return done.error();
        struct stat status {};
        if (::fstat(file_.get(), &status) < 0) return fail();
        return written_file{info_of(status, path_.text()), digest_.finish(), !found->has_value()};
    }

  private:
    file_problem fail() const { return problem_of(errno, path_.text(), "write"); }

    // A program inside may read and write it, whoever it runs as. The time is not that of a tick: whatever is written
    // from now on has another.
    file_result<void> prepare(int root) {
        struct stat owner {};
        if (::fstat(root, &owner) < 0) return fail();
        const bool is_ours = owner.st_uid == ::geteuid() && owner.st_gid == ::getegid();
        if (!is_ours && ::fchown(file_.get(), owner.st_uid, owner.st_gid) < 0) return fail();
        if (::fchmod(file_.get(), file_mode) < 0) return fail();
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        const timespec times[] = {now, now};
        if (::futimens(file_.get(), times) < 0) return fail();
        return {};
    }

    file_result<void> put_in_place(int root) {
        if (auto named = give_name(); !named) return named;
        const file_descriptor parent(open_directories_beneath(root, path_.parent()));
        if (!parent) return fail();
        const unsigned flags = condition_.must_not_exist ? RENAME_NOREPLACE : 0;
        if (::renameat2(uploads_.get(), name_.c_str(), parent.get(), path_.name().c_str(), flags) == 0) {
            name_.clear();
            return {};
        }
        if (errno == EEXIST && condition_.must_not_exist)
            return file_problem{file_errc::not_as_stated,
                                path_.text() + " exists already: replace it without If-None-Match"};
        return fail();
    }

    file_result<void> give_name() {
        if (!name_.empty()) return {};
        const auto itself = fmt::format("/proc/self/fd/{}", file_.get());
        auto name = random_name();
        if (::linkat(AT_FDCWD, itself.c_str(), uploads_.get(), name.c_str(), AT_SYMLINK_FOLLOW) < 0) return fail();
        name_ = std::move(name);
        return {};
    }

    std::shared_ptr<local_files::place> in_;
    file_path path_;
    file_condition condition_;
    file_descriptor uploads_;
    file_descriptor file_;
    std::string name_;  // in uploads, while it has one
    sha256 digest_;
};

}  // namespace

file_result<std::unique_ptr<upload>> begin_local_upload(std::shared_ptr<local_files::place> in, const file_path& path,
                                                        const file_condition& condition) {
    auto root = in->open_root();
    if (!root) return root.error();
    auto found = look(root->get(), path);
    if (!found) return found.error();
    if (found->has_value() && S_ISDIR((*found)->st_mode)) return problem_of(EISDIR, path.text(), "write");
    if (auto good = check(condition, *found, path); !good) return good.error();
    auto made = std::make_unique<local_upload>(std::move(in), path, condition);
    if (auto started = made->start(); !started) return started.error();
    return std::unique_ptr<upload>(std::move(made));
}

}  // namespace mounts
