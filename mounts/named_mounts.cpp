#include "mounts/named_mounts.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace mounts {
namespace {

namespace fs = std::filesystem;
using ::kernel::bind_mount;

constexpr std::string_view of_the_box[] = {"/bin",       "/dev",  "/etc",          "/home/user", "/lib",    "/lib64",
                                           "/mnt/files", "/proc", "/opt/cellgate", "/run",       "/sbin",   "/sys",
                                           "/tmp",       "/usr",  "/var/lock",     "/var/run",   "/var/tmp"};

bool is_at_or_below(std::string_view path, std::string_view directory) {
    if (directory == "/") return true;
    return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

bool overlap(std::string_view one, std::string_view other) {
    return is_at_or_below(one, other) || is_at_or_below(other, one);
}

problem refuse(const named_mount& which, const std::string& why) { return {"mounts." + which.name + ": " + why}; }

result<std::string> find_directory(const named_mount& from, const std::vector<std::string>& hidden) {
    std::error_code ec;
    std::string found = fs::canonical(from.directory, ec);
    if (ec) return refuse(from, from.directory + ": " + ec.message() + ": make the directory, or leave the mount out");
    if (!fs::is_directory(found, ec)) return refuse(from, from.directory + " is not a directory");
    for (const auto& each : hidden) {
        std::string own = fs::weakly_canonical(each, ec);
        if (overlap(found, own))
            return refuse(from, from.directory + " would show " + own + ", which is the gateway's own: choose another");
    }
    return {boost::system::in_place_value, std::move(found)};
}

result<std::string> find_place(const named_mount& from, const std::vector<std::string_view>& places,
                               const std::vector<bind_mount>& taken) {
    auto at = from.at.empty() ? "/mnt/" + from.name : from.at;
    if (at.front() != '/' || at.back() == '/' || fs::path(at).lexically_normal().native() != at)
        return refuse(from, "at = \"" + at + "\" is not a path such as /mnt/data, without . and .. and a last slash");
    for (std::string_view each : places)
        if (overlap(at, each))
            return refuse(from, at + " and the box's own " + std::string(each) +
                                    " are in each other's way: choose "
                                    "another place, such as /mnt/" +
                                    from.name);
    for (const auto& each : taken)
        if (overlap(at, each.target)) return refuse(from, at + " and " + each.target + " are in each other's way");
    return {boost::system::in_place_value, std::move(at)};
}

}  // namespace

result<std::vector<bind_mount>> to_bind_mounts(const std::vector<named_mount>& configured,
                                               const std::vector<std::string>& hidden,
                                               const std::vector<std::string>& needed) {
    std::vector<std::string_view> places(std::begin(of_the_box), std::end(of_the_box));
    places.insert(places.end(), needed.begin(), needed.end());
    std::vector<bind_mount> made;
    for (const auto& each : configured) {
        auto directory = find_directory(each, hidden);
        if (!directory) return directory.error();
        auto at = find_place(each, places, made);
        if (!at) return at.error();
        made.push_back({std::move(*directory), std::move(*at), each.writable});
    }
    return made;
}

}  // namespace mounts
