#include "mounts/session_directories.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>

#include "mounts/remove_tree.hpp"
#include "mounts/subvolume.hpp"

namespace mounts {
namespace {

using ::kernel::file_descriptor;

constexpr const char* parts[] = {"home", "files", "packages", "log", "uploads"};
constexpr const char* own_parts[] = {"packages", "log"};  // of one that is limited: what only the gateway writes
constexpr const char* limited_parts[] = {"home", "mount"};
constexpr const char* mount_parts[] = {"files", "uploads"};
constexpr const char* claimed = "written-down";
constexpr const char* limited = "limited";

result<void> check_id(const std::string& id) {
    constexpr const char* allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!id.empty() && id.size() <= 128 && id.find_first_not_of(allowed) == std::string::npos) return {};
    return problem{"\"" + id + "\" cannot name a directory: use 1 to 128 letters, digits, - and _"};
}

// Nobody else may put something in our way in there.
result<void> check_owner(int directory, const std::string& path) {
    struct stat status {};
    if (fstat(directory, &status) != 0) return system_problem("examine " + path);
    if (status.st_uid != geteuid()) return problem{path + " belongs to another user: choose another data directory"};
    if ((status.st_mode & 0077) == 0 || fchmod(directory, 0700) == 0) return {};
    return system_problem("protect " + path);
}

file_descriptor open_directory(int parent, const char* name) {
    return file_descriptor(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::vector<std::string> names_in(int directory) {
    std::vector<std::string> names;
    std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                                                &closedir);
    if (!entries) return names;
    while (const dirent* each = readdir(entries.get())) {
        std::string name = each->d_name;
        if (name != "." && name != "..") names.push_back(std::move(name));
    }
    return names;
}

result<void> make_missing(int parent, const char* name, const std::string& path) {
    if (mkdirat(parent, name, 0700) == 0 || errno == EEXIST) return {};
    return system_problem("make " + path + "/" + name);
}

bool exists(int parent, const std::string& name) {
    return faccessat(parent, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

std::vector<::kernel::bind_mount> box_mounts(const session_paths& paths) {
    return {{paths.home, "/home/user", true},
            {paths.files, "/mnt/files", true},
            {paths.packages, "/opt/cellgate/packages", false}};
}

result<session_directories> session_directories::open(const std::string& data_dir, const std::string& limited) {
    std::error_code ec;
    std::filesystem::create_directories(data_dir, ec);
    if (ec) return problem{"make " + data_dir + ": " + ec.message()};
    std::string root = std::filesystem::absolute(data_dir).lexically_normal() / "sessions";
    if (mkdir(root.c_str(), 0700) != 0 && errno != EEXIST) return system_problem("make " + root);
    file_descriptor directory = open_directory(AT_FDCWD, root.c_str());
    if (!directory) return system_problem("open " + root);
    if (result<void> owned = check_owner(directory.get(), root); !owned) return owned.error();
    if (flock(directory.get(), LOCK_EX | LOCK_NB) != 0)
        return problem{"another Cellgate uses " + root + ": stop it, or choose another data directory"};
    session_directories made(std::move(root), std::move(directory));
    if (limited.empty()) return made;
    made.limited_root_ = std::filesystem::absolute(limited).lexically_normal();
    made.limited_ = open_directory(AT_FDCWD, limited.c_str());
    if (!made.limited_) return system_problem("open " + limited);
    return made;
}

bool session_directories::is_marked(const std::string& id, const char* mark) const {
    return exists(directory_.get(), id + "/" + mark);
}

result<void> session_directories::mark(const std::string& id, const char* mark) const {
    const std::string path = id + "/" + mark;
    constexpr int how = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
    if (file_descriptor made(openat(directory_.get(), path.c_str(), how, 0600)); made) return {};
    return system_problem("make " + root_ + "/" + path);
}

bool session_directories::is_limited(const std::string& id) const { return limited_ && is_marked(id, limited); }

session_paths session_directories::paths(const std::string& id) const {
    const std::string base = root_ + "/" + id + "/";
    session_paths all{base + parts[0], base + parts[1], base + parts[2], base + parts[3], base + parts[4]};
    if (!is_limited(id)) return all;
    const std::string in_image = limited_root_ + "/" + id + "/";
    all.home = in_image + "home";
    all.files = in_image + "mount/files";
    all.uploads = in_image + "mount/uploads";
    return all;
}

result<session_paths> session_directories::create(const std::string& id) const {
    if (result<void> checked = check_id(id); !checked) return checked.error();
    if (mkdirat(directory_.get(), id.c_str(), 0700) != 0) return system_problem("make " + root_ + "/" + id);
    result<void> made = fill(id);
    if (made) return paths(id);
    (void)remove(id);
    return made.error();
}

result<void> session_directories::fill(const std::string& id) const {
    const std::string path = root_ + "/" + id;
    const file_descriptor made = open_directory(directory_.get(), id.c_str());
    if (!made) return system_problem("open " + path);
    if (!limited_) {
        for (const char* each : parts)
            if (auto done = make_missing(made.get(), each, path); !done) return done;
        return {};
    }
    for (const char* each : own_parts)
        if (auto done = make_missing(made.get(), each, path); !done) return done;
    if (auto done = mark(id, limited); !done) return done;
    if (auto done = make_limited(id); !done)
        return problem{done.error().text +
                       " (when the image is full: end sessions, or raise storage.disk_image_bytes)"};
    return {};
}

// Also what is missing of them.
result<void> session_directories::make_limited(const std::string& id) const {
    const std::string path = limited_root_ + "/" + id;
    if (auto made = make_missing(limited_.get(), id.c_str(), limited_root_); !made) return made;
    const file_descriptor all = open_directory(limited_.get(), id.c_str());
    if (!all) return system_problem("open " + path);
    for (const char* each : limited_parts)
        if (!exists(all.get(), each))
            if (auto made = make_subvolume(all.get(), each); !made) return problem{made.error().text + " in " + path};
    const file_descriptor mount = open_directory(all.get(), "mount");
    if (!mount) return system_problem("open " + path + "/mount");
    for (const char* each : mount_parts)
        if (auto made = make_missing(mount.get(), each, path + "/mount"); !made) return made;
    return {};
}

result<void> session_directories::limit(const std::string& id, std::uint64_t home_bytes,
                                        std::uint64_t files_bytes) const {
    if (!is_limited(id)) return {};
    const file_descriptor all = open_directory(limited_.get(), id.c_str());
    if (!all) return system_problem("open " + limited_root_ + "/" + id);
    if (auto done = limit_subvolume(all.get(), "home", home_bytes); !done) return done;
    return limit_subvolume(all.get(), "mount", files_bytes);
}

// The mark in the first goes last: until then the rest is found again.
result<void> session_directories::remove(const std::string& id) const {
    if (result<void> checked = check_id(id); !checked) return checked;
    result<void> removed;
    if (limited_) removed = remove_tree(limited_.get(), id);
    if (!removed) return problem{removed.error().text + " in " + limited_root_};
    removed = remove_tree(directory_.get(), id);
    if (!removed) return problem{removed.error().text + " in " + root_};
    return removed;
}

result<session_paths> session_directories::reopen(const std::string& id) const {
    if (result<void> checked = check_id(id); !checked) return checked.error();
    std::string path = root_ + "/" + id;
    if (mkdirat(directory_.get(), id.c_str(), 0700) != 0 && errno != EEXIST) return system_problem("make " + path);
    const bool in_image = is_marked(id, limited);
    if (in_image && !limited_)
        return problem{"its files are in the disk image, which is not mounted: set storage.disk to \"auto\""};
    file_descriptor found = open_directory(directory_.get(), id.c_str());
    if (!found) return system_problem("open " + path);
    for (const char* each : {"log", "uploads"})
        if (result<void> emptied = remove_tree(found.get(), each); !emptied)
            return problem{emptied.error().text + " in " + path};
    if (in_image) {
        for (const char* each : own_parts)
            if (auto made = make_missing(found.get(), each, path); !made) return made.error();
        if (auto made = reopen_limited(id); !made) return made.error();
        return paths(id);
    }
    for (const char* each : parts)
        if (auto made = make_missing(found.get(), each, path); !made) return made.error();
    return paths(id);
}

result<void> session_directories::reopen_limited(const std::string& id) const {
    const file_descriptor found = open_directory(limited_.get(), id.c_str());
    const file_descriptor mount = found ? open_directory(found.get(), "mount") : file_descriptor();
    if (mount)
        if (auto emptied = remove_tree(mount.get(), "uploads"); !emptied)
            return problem{emptied.error().text + " in " + limited_root_ + "/" + id};
    return make_limited(id);
}

bool session_directories::are_there(const std::string& id) const {
    if (!check_id(id) || !open_directory(directory_.get(), id.c_str())) return false;
    return !is_limited(id) || exists(limited_.get(), id);
}

result<void> session_directories::claim(const std::string& id) const {
    if (result<void> checked = check_id(id); !checked) return checked;
    return mark(id, claimed);
}

void session_directories::let_go_of(const std::string& id) const {
    if (check_id(id)) unlinkat(directory_.get(), (id + "/" + claimed).c_str(), 0);
}

result<std::vector<std::string>> session_directories::remove_leftovers(const std::set<std::string>& kept,
                                                                       const std::set<std::string>& ended) const {
    std::vector<std::string> left_alone;
    std::string wrong;
    auto remove_in = [&wrong](int parent, const std::string& name) {
        if (auto removed = remove_tree(parent, name); !removed) wrong = removed.error().text;
    };
    for (const std::string& name : names_in(directory_.get())) {
        if (kept.contains(name)) continue;
        if (is_marked(name, claimed) && !ended.contains(name)) {
            left_alone.push_back(name);
            continue;
        }
        if (limited_) remove_in(limited_.get(), name);
        remove_in(directory_.get(), name);
    }
    // What was removed while the image was not mounted.
    if (limited_)
        for (const std::string& name : names_in(limited_.get()))
            if (!kept.contains(name) && !exists(directory_.get(), name)) remove_in(limited_.get(), name);
    if (!wrong.empty()) return problem{wrong + " in " + root_};
    return {boost::system::in_place_value, std::move(left_alone)};
}

}  // namespace mounts
