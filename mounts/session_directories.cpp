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

namespace mounts {
namespace {

using ::kernel::file_descriptor;

constexpr const char* parts[] = {"home", "files", "packages", "log", "uploads"};
constexpr const char* claimed = "written-down";

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

}  // namespace

std::vector<::kernel::bind_mount> box_mounts(const session_paths& paths) {
    return {{paths.home, "/home/user", true},
            {paths.files, "/mnt/files", true},
            {paths.packages, "/opt/cellgate/packages", false}};
}

result<session_directories> session_directories::open(const std::string& data_dir) {
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
    return session_directories(std::move(root), std::move(directory));
}

session_paths session_directories::paths(const std::string& id) const {
    std::string base = root_ + "/" + id + "/";
    return {base + parts[0], base + parts[1], base + parts[2], base + parts[3], base + parts[4]};
}

result<session_paths> session_directories::create(const std::string& id) const {
    if (result<void> checked = check_id(id); !checked) return checked.error();
    std::string path = root_ + "/" + id;
    if (mkdirat(directory_.get(), id.c_str(), 0700) != 0) return system_problem("make " + path);
    file_descriptor made = open_directory(directory_.get(), id.c_str());
    if (!made) return system_problem("open " + path);
    for (const char* each : parts)
        if (mkdirat(made.get(), each, 0700) != 0) return system_problem("make " + path + "/" + each);
    return paths(id);
}

result<session_paths> session_directories::rename(const std::string& from, const std::string& to) const {
    for (const std::string* each : {&from, &to})
        if (result<void> checked = check_id(*each); !checked) return checked.error();
    if (renameat2(directory_.get(), from.c_str(), directory_.get(), to.c_str(), RENAME_NOREPLACE) != 0)
        return system_problem("rename " + root_ + "/" + from + " to " + to);
    return paths(to);
}

result<void> session_directories::remove(const std::string& id) const {
    if (result<void> checked = check_id(id); !checked) return checked;
    result<void> removed = remove_tree(directory_.get(), id);
    if (!removed) return problem{removed.error().text + " in " + root_};
    return removed;
}

result<session_paths> session_directories::reopen(const std::string& id) const {
    if (result<void> checked = check_id(id); !checked) return checked.error();
    std::string path = root_ + "/" + id;
    if (mkdirat(directory_.get(), id.c_str(), 0700) != 0 && errno != EEXIST) return system_problem("make " + path);
    file_descriptor found = open_directory(directory_.get(), id.c_str());
    if (!found) return system_problem("open " + path);
    for (const char* each : {"log", "uploads"})
        if (result<void> emptied = remove_tree(found.get(), each); !emptied)
            return problem{emptied.error().text + " in " + path};
    for (const char* each : parts)
        if (mkdirat(found.get(), each, 0700) != 0 && errno != EEXIST)
            return system_problem("make " + path + "/" + each);
    return paths(id);
}

bool session_directories::are_there(const std::string& id) const {
    return check_id(id) && open_directory(directory_.get(), id.c_str());
}

result<void> session_directories::claim(const std::string& id) const {
    if (result<void> checked = check_id(id); !checked) return checked;
    const std::string mark = id + "/" + claimed;
    constexpr int how = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
    if (file_descriptor made(openat(directory_.get(), mark.c_str(), how, 0600)); made) return {};
    return system_problem("make " + root_ + "/" + mark);
}

void session_directories::let_go_of(const std::string& id) const {
    if (check_id(id)) unlinkat(directory_.get(), (id + "/" + claimed).c_str(), 0);
}

result<std::vector<std::string>> session_directories::remove_leftovers(const std::set<std::string>& kept,
                                                                       const std::set<std::string>& ended) const {
    std::vector<std::string> left_alone;
    std::string wrong;
    for (const std::string& name : names_in(directory_.get())) {
        if (kept.contains(name)) continue;
        const bool is_claimed =
            faccessat(directory_.get(), (name + "/" + claimed).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        if (is_claimed && !ended.contains(name)) {
            left_alone.push_back(name);
            continue;
        }
        result<void> removed = remove_tree(directory_.get(), name);
        if (!removed) wrong = removed.error().text;
    }
    if (!wrong.empty()) return problem{wrong + " in " + root_};
    return {boost::system::in_place_value, std::move(left_alone)};
}

}  // namespace mounts
