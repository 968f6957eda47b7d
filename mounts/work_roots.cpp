#include "mounts/work_roots.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace mounts {
namespace {

namespace fs = std::filesystem;

// A root at one of these, or above, would hide it; these belong to every box.
constexpr std::string_view of_the_box[] = {"/home/user", "/mnt/files", "/usr", "/etc",   "/opt",
                                           "/bin",       "/sbin",      "/lib", "/lib64", "/proc",
                                           "/sys",       "/dev",       "/tmp", "/run",   "/var/tmp"};
// Below these nothing of the host is of use.
constexpr std::string_view system_only[] = {"/proc", "/sys", "/dev"};

bool is_at_or_below(std::string_view path, std::string_view directory) {
    if (directory == "/") return true;
    return path.substr(0, directory.size()) == directory &&
           (path.size() == directory.size() || path[directory.size()] == '/');
}

result<std::string> check_root(const std::string& configured) {
    std::error_code ec;
    if (configured.empty() || configured.front() != '/')
        return problem{"work root \"" + configured + "\" is not an absolute path"};
    std::string root = fs::canonical(configured, ec);
    if (ec) return problem{"work root " + configured + ": " + ec.message()};
    if (!fs::is_directory(root, ec)) return problem{"work root " + configured + " is not a directory"};
    for (std::string_view each : of_the_box)
        if (is_at_or_below(each, root))
            return problem{"work root " + root + " would hide the box's own " + std::string(each) +
                           ": choose a directory below it"};
    for (std::string_view each : system_only)
        if (is_at_or_below(root, each))
            return problem{"work root " + root + " is the system's: choose another directory"};
    return {boost::system::in_place_value, std::move(root)};
}

struct found_directory {
    std::string path;
    int left_off = 0;  // how many names
};

// The longest existing directory along `rest`, from `root` on.
std::optional<found_directory> walk_up(const std::string& root, fs::path rest) {
    for (int left_off = 0;; ++left_off, rest = rest.parent_path()) {
        std::error_code ec;
        std::string real = fs::canonical(fs::path(root) / rest, ec);
        if (!ec && fs::is_directory(real, ec)) {
            if (!is_at_or_below(real, root)) return std::nullopt;
            return found_directory{std::move(real), left_off};
        }
        if (rest.empty()) return std::nullopt;
    }
}

// As the client wrote it, or as it is: either may go through a symbolic link.
std::optional<fs::path> relative_to(const std::string& root, const std::string& wanted) {
    std::error_code ec;
    for (const fs::path& each : {fs::path(wanted).lexically_normal(), fs::weakly_canonical(wanted, ec)})
        if (is_at_or_below(each.native(), root)) return each.lexically_relative(root);
    return std::nullopt;
}

}  // namespace

result<work_roots> work_roots::make(const std::vector<std::string>& configured) {
    work_roots made;
    for (const std::string& each : configured) {
        result<std::string> root = check_root(each);
        if (!root) return root.error();
        made.roots_.push_back(std::move(*root));
    }
    // The innermost of nested roots first.
    std::ranges::stable_sort(made.roots_, std::ranges::greater(), [](const std::string& each) { return each.size(); });
    return made;
}

std::optional<work_place> work_roots::find(const std::string& wanted) const {
    if (wanted.empty() || wanted.find('\0') != std::string::npos) return std::nullopt;
    std::optional<found_directory> best;
    const std::string* of = nullptr;
    for (const std::string& root : roots_) {
        std::optional<fs::path> rest =
            wanted.front() == '/' ? relative_to(root, wanted) : fs::path(wanted).lexically_normal();
        std::optional<found_directory> found = rest ? walk_up(root, *rest) : std::nullopt;
        if (!found || (best && best->left_off <= found->left_off)) continue;
        best = std::move(found);
        of = &root;
    }
    if (!best) return std::nullopt;
    return work_place{best->path, {*of, *of, true}};
}

}  // namespace mounts
