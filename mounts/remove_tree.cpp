#include "mounts/remove_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

#include "kernel/launcher/file_descriptor.hpp"

namespace mounts {
namespace {

using ::kernel::file_descriptor;
using stream = std::unique_ptr<DIR, int (*)(DIR*)>;

// Each level holds a descriptor; what lies deeper is moved up first.
constexpr int depth_limit = 64;

int open_here(int parent, const char* name, int flags) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
    how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
    return static_cast<int>(syscall(SYS_openat2, parent, name, &how, sizeof how));
}

// By way of /proc: fchmodat() would follow a link that appeared meanwhile.
void allow_everything(int parent, const char* name) {
    file_descriptor path(open_here(parent, name, O_PATH | O_DIRECTORY));
    if (path) (void)!chmod(("/proc/self/fd/" + std::to_string(path.get())).c_str(), 0700);
}

void clear_attributes(int file) {
    int attributes = 0;
    if (file < 0 || ioctl(file, FS_IOC_GETFLAGS, &attributes) != 0) return;
    attributes &= ~(FS_IMMUTABLE_FL | FS_APPEND_FL);
    ioctl(file, FS_IOC_SETFLAGS, &attributes);
}

// Its owner may do everything with it from now on.
stream open_directory(int parent, const char* name) {
    file_descriptor opened(open_here(parent, name, O_RDONLY | O_DIRECTORY));
    if (!opened && errno == EACCES) {
        allow_everything(parent, name);
        opened.reset(open_here(parent, name, O_RDONLY | O_DIRECTORY));
    }
    struct stat status {};
    if (opened && fstat(opened.get(), &status) == 0 && (status.st_mode & S_IRWXU) != S_IRWXU)
        (void)!fchmod(opened.get(), 0700);
    stream entries(opened ? fdopendir(opened.get()) : nullptr, &closedir);
    if (entries) opened.release();
    return entries;
}

bool unlink_here(int parent, const char* name, int flags) {
    if (unlinkat(parent, name, flags) == 0 || errno == ENOENT) return true;
    if (errno != EPERM) return false;
    file_descriptor immutable(open_here(parent, name, O_RDONLY | O_NONBLOCK));
    clear_attributes(immutable.get());
    clear_attributes(parent);
    return unlinkat(parent, name, flags) == 0 || errno == ENOENT;
}

class remover {
  public:
    explicit remover(std::string path) : path_(std::move(path)) {}

    // Until the directory is empty: what lies deep comes to its top level while it is emptied.
    void empty_top(DIR* top) {
        top_ = dirfd(top);
        do {
            moved_ = 0;
            rewinddir(top);
        } while (empty(top, path_, 1) && moved_ > 0);
    }
    const std::optional<problem>& first_problem() const { return problem_; }
    void note(const std::string& what) {
        if (!problem_) problem_ = system_problem("remove " + what);
    }

  private:
    // False when something stayed.
    bool empty(DIR* directory, const std::string& path, int depth) {
        bool all = true;
        while (const dirent* each = readdir(directory)) {
            std::string_view name = each->d_name;
            if (name == "." || name == "..") continue;
            if (!remove(dirfd(directory), each->d_name, path + "/" + each->d_name, depth)) all = false;
        }
        return all;
    }

    bool remove(int parent, const char* name, const std::string& path, int depth) {
        if (unlink_here(parent, name, 0)) return true;
        if (errno != EISDIR && errno != EPERM) return fail(path);
        stream directory = open_directory(parent, name);
        if (!directory) return fail(path);
        if (depth >= depth_limit) return move_up(parent, name, path);
        if (!empty(directory.get(), path, depth + 1)) return false;
        return unlink_here(parent, name, AT_REMOVEDIR) || fail(path);
    }

    bool move_up(int parent, const char* name, const std::string& path) {
        std::string free = ".cellgate-deep-" + std::to_string(++moved_total_);
        ++moved_;
        return renameat2(parent, name, top_, free.c_str(), RENAME_NOREPLACE) == 0 || fail(path);
    }

    bool fail(const std::string& path) {
        note(path);
        return false;
    }

    std::string path_;
    int top_ = -1;
    int moved_ = 0;
    int moved_total_ = 0;
    std::optional<problem> problem_;
};

}  // namespace

result<void> remove_tree(int parent, const std::string& name) {
    remover all(name);
    if (unlink_here(parent, name.c_str(), 0)) return {};
    stream top = open_directory(parent, name.c_str());
    if (!top) {
        all.note(name);
        return *all.first_problem();
    }
    all.empty_top(top.get());
    if (!all.first_problem() && !unlink_here(parent, name.c_str(), AT_REMOVEDIR)) all.note(name);
    if (all.first_problem()) return *all.first_problem();
    return {};
}

result<void> remove_tree(const std::string& path) {
    const auto slash = path.rfind('/');
    const auto above = path.substr(0, std::max<std::size_t>(slash, 1));
    const kernel::file_descriptor parent(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!parent) return system_problem("open " + above);
    return remove_tree(parent.get(), path.substr(slash + 1));
}

}  // namespace mounts
