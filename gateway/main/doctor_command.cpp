#include "gateway/main/doctor_command.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "gateway/kernels/is_under.hpp"
#include "gateway/kernels/machine_check.hpp"
#include "mounts/disk_image.hpp"

namespace gateway {
namespace {

namespace fs = std::filesystem;

// The directory, or the next above it that is there: one that is not is made by the gateway's start.
std::string nearest(const std::string& path) {
    std::error_code error;
    auto at = fs::absolute(path, error);
    while (!fs::is_directory(at, error) && at.has_relative_path()) at = at.parent_path();
    return at.string();
}

// Such a mount is refused later, with better words.
bool holds(const std::string& directory, const std::string& path) {
    std::error_code error;
    return kernels::is_under(fs::weakly_canonical(path, error).string(),
                             fs::weakly_canonical(directory, error).string());
}

// What a box may come to show of this machine.
std::vector<std::string> shown_directories(const config::config& settings, const std::string& data,
                                           const std::string& runtime) {
    std::vector<std::string> all = {data, runtime};
    for (const auto* each :
         {&settings.kernels.prefixes, &settings.kernels.read_only_paths, &settings.kernels.work_roots})
        all.insert(all.end(), each->begin(), each->end());
    for (const auto& [name, each] : settings.mounts)
        if (!holds(each.directory, data)) all.push_back(each.directory);
    return all;
}

result<void> check_writable(const config::config& settings) {
    for (const auto& path : {settings.storage.data_dir, settings.storage.runtime_dir})
        if (const auto at = nearest(path); ::access(at.c_str(), W_OK | X_OK) != 0)
            return failure{errc::io_error, at + ": this user cannot write there; set storage.data_dir and "
                                                "storage.runtime_dir to other places"};
    return {};
}

// Of the ids that root gives to boxes none may be somebody's.
result<void> check_ids(const config::kernels_section& from) {
    if (::geteuid() != 0) return {};
    auto is_in = [&](config::integer id) { return id >= from.first_uid && id < from.first_uid + from.uid_count; };
    auto refuse = [&](const char* kind, const char* name) {
        return failure{errc::io_error,
                       fmt::format("kernels.first_uid and uid_count: {} to {} hold the {} {}; choose ids "
                                   "that belong to nobody",
                                   from.first_uid, from.first_uid + from.uid_count - 1, kind, name)};
    };
    std::optional<failure> found;
    ::setpwent();
    while (const auto* each = ::getpwent())
        if (!found && is_in(each->pw_uid)) found = refuse("user", each->pw_name);
    ::endpwent();
    ::setgrent();
    while (const auto* each = ::getgrent())
        if (!found && is_in(each->gr_gid)) found = refuse("group", each->gr_name);
    ::endgrent();
    if (found) return *found;
    return {};
}

bool is_missing(const kernels::finding& what) { return what.state == kernels::finding_state::missing; }

void print(const kernels::finding& what) {
    std::cout << (is_missing(what) ? "missing  " : "ok       ") << what.subject << ": " << what.text << '\n';
}

kernels::finding check_disk(const config::storage_section& settings) {
    using kernels::finding_state;
    if (settings.disk == "none")
        return {"disk", finding_state::missing, "what a session writes has no limit: storage.disk is \"none\""};
    if (auto tried = mounts::disk_image::try_out(nearest(settings.data_dir)); !tried)
        return {"disk", finding_state::missing, "what a session writes has no limit: " + tried.error().text};
    return {"disk", finding_state::present, "what a session writes in its home and its files is limited"};
}

}  // namespace

kernels::box_settings box_settings_of(const config::config& settings) {
    const auto& from = settings.kernels;
    return {from.isolation != "none", from.first_uid, from.uid_count};
}

int run_doctor(const config::config& settings) {
    auto found = kernels::check_machine(
        settings.kernels.launcher, box_settings_of(settings),
        shown_directories(settings, nearest(settings.storage.data_dir), nearest(settings.storage.runtime_dir)));
    if (!found) {
        std::cerr << "cellgate: " << found.error().message << '\n';
        return 1;
    }
    for (const auto& each : *found) print(each);
    print(check_disk(settings.storage));
    std::cout << "missing  network: a session has the machine's own\n";
    const auto writable = check_writable(settings);
    const auto ids = check_ids(settings.kernels);
    for (const auto* each : {&writable, &ids})
        if (!*each) std::cout << "missing  " << each->error().message << '\n';
    const bool would_start = (!is_missing(found->front()) || settings.kernels.isolation == "none") && writable && ids;
    std::cout << (would_start ? "A gateway starts here.\n" : "A gateway does not start here.\n");
    return would_start ? 0 : 1;
}

result<void> check_boundary(const config::config& settings, const std::string& data, const std::string& runtime) {
    if (settings.kernels.isolation == "none") return {};
    if (auto good = check_ids(settings.kernels); !good) return good;
    auto found = kernels::check_machine(settings.kernels.launcher, box_settings_of(settings),
                                        shown_directories(settings, data, runtime));
    if (!found) return found.error();
    if (!is_missing(found->front())) return {};
    return failure{errc::io_error, "sessions would not be shut in on this machine: " + found->front().text +
                                       ". `cellgate doctor` says what it offers; to serve all the same, for code that "
                                       "you trust, set kernels.isolation = \"none\""};
}

}  // namespace gateway
