#include "kernel/sandbox/box_user.hpp"

#include <fcntl.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/namespaces.hpp"

namespace kernel {
namespace {

// While it lives, what this process makes is another user's. Linux counts inotify instances, message queues, pending
// signals and more of a user namespace against whoever made it, too: were that root for all, one box could use up what
// all have, and the machine's root with them. Only the user changes, no capability: some machines let only those make
// user namespaces who have them.
class other_user {
  public:
    explicit other_user(uid_t user)
        : dumpable_(prctl(PR_GET_DUMPABLE)), bits_(require(prctl(PR_GET_SECUREBITS), "read the bits of security")) {
        require(prctl(PR_SET_SECUREBITS, bits_ | SECBIT_NO_SETUID_FIXUP), "keep capabilities");
        if (setresuid(keep, user, keep) == 0) return;
        const int error = errno;
        prctl(PR_SET_SECUREBITS, bits_);
        errno = error;
        require(-1, "become the box's user for a moment");
    }
    ~other_user() {
        if (setresuid(keep, 0, keep) != 0 || prctl(PR_SET_SECUREBITS, bits_) != 0) abort();
        prctl(PR_SET_DUMPABLE, dumpable_);
    }
    other_user(const other_user&) = delete;
    other_user& operator=(const other_user&) = delete;

  private:
    static constexpr uid_t keep = static_cast<uid_t>(-1);

    int dumpable_;
    int bits_;
};

// A process that lives in a new user namespace of that user until its end of the pipe is closed.
class holder {
  public:
    explicit holder(uid_t owner) {
        int ends[2];
        require(pipe2(ends, O_CLOEXEC), "make a pipe");
        file_descriptor waited(ends[0]);
        writing_.reset(ends[1]);
        {
            const other_user made_by(owner);
            pid_ = fork_into_user_namespace();
            if (pid_ == 0) wait_for_end(waited.get());
        }
    }
    ~holder() {
        writing_.reset();
        waitpid(pid_, nullptr, 0);
    }
    holder(const holder&) = delete;
    holder& operator=(const holder&) = delete;

    std::string directory() const { return "/proc/" + std::to_string(pid_); }

  private:
    [[noreturn]] void wait_for_end(int pipe) {
        writing_.reset();
        char nothing;
        while (read(pipe, &nothing, 1) < 0) {
        }
        _exit(0);
    }

    file_descriptor writing_;
    pid_t pid_ = 0;
};

file_descriptor make_user_namespace(const id_mapping& users, const id_mapping& groups) {
    holder made(users.outside);
    write_mappings(made.directory(), users, groups);
    const std::string path = made.directory() + "/ns/user";
    return file_descriptor(require(open(path.c_str(), O_RDONLY | O_CLOEXEC), "open a user namespace"));
}

}  // namespace

box_user::box_user(uid_t outside)
    : outside_(outside), inside_(make_user_namespace({id_inside, outside}, {id_inside, outside})) {}

void box_user::prepare(const std::vector<bind_mount>& mounts) {
    for (const bind_mount& each : mounts) {
        struct stat found {};
        if (stat(each.source.c_str(), &found) != 0) continue;  // told of where it is mounted
        auto is_it = [&](const owner& one) { return one.uid == found.st_uid && one.gid == found.st_gid; };
        if (std::ranges::none_of(owners_, is_it))
            owners_.push_back(
                {found.st_uid, found.st_gid, make_user_namespace({found.st_uid, outside_}, {found.st_gid, outside_})});
    }
}

int box_user::owners(uid_t uid, gid_t gid) const {
    for (const owner& each : owners_)
        if (each.uid == uid && each.gid == gid) return each.as_user.get();
    throw box_error("its owner was changed while the box was made: try again");
}

void box_user::give(int file) const {
    struct stat found {};
    require(fstat(file, &found), "examine a file of the box");
    if (S_ISFIFO(found.st_mode) || S_ISREG(found.st_mode))
        require(fchown(file, outside_, outside_), "give a file away");
}

void box_user::add_descriptors(std::vector<int>& to) const {
    to.push_back(inside_.get());
    for (const owner& each : owners_) to.push_back(each.as_user.get());
}

std::shared_ptr<const box_user> box_users::take(const std::vector<bind_mount>& mounts) {
    std::shared_ptr<box_user> found = find_free();
    found->prepare(mounts);
    return found;
}

std::shared_ptr<box_user> box_users::find_free() {
    for (const auto& each : made_)
        if (each.use_count() == 1) return each;
    if (made_.size() == ids_.count)
        throw box_error("all " + std::to_string(ids_.count) +
                        " user ids for sessions are taken: raise kernels.uid_count");
    made_.push_back(std::make_shared<box_user>(static_cast<uid_t>(ids_.first + made_.size())));
    return made_.back();
}

}  // namespace kernel
