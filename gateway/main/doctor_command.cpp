#include "gateway/main/doctor_command.hpp"

#include <filesystem>
#include <iostream>

#include "gateway/kernels/machine_check.hpp"

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

bool is_missing(const kernels::finding& what) { return what.state == kernels::finding_state::missing; }

void print(const kernels::finding& what) {
    std::cout << (is_missing(what) ? "missing  " : "ok       ") << what.subject << ": " << what.text << '\n';
}

}  // namespace

kernels::box_settings box_settings_of(const config::config& settings) {
    const auto& from = settings.kernels;
    return {from.isolation != "none", from.first_uid, from.uid_count};
}

int run_doctor(const config::config& settings) {
    auto found = kernels::check_machine(settings.kernels.launcher, box_settings_of(settings),
                                        {nearest(settings.storage.data_dir), nearest(settings.storage.runtime_dir)});
    if (!found) {
        std::cerr << "cellgate: " << found.error().message << '\n';
        return 1;
    }
    for (const auto& each : *found) print(each);
    std::cout << "missing  limits: processors, memory, processes and disk of a session are not limited yet\n"
                 "missing  network: a session has the machine's own\n";
    const bool would_start = !is_missing(found->front()) || settings.kernels.isolation == "none";
    std::cout << (would_start ? "A gateway starts here.\n" : "A gateway does not start here: see \"boundary\".\n");
    return would_start ? 0 : 1;
}

result<void> check_boundary(const config::config& settings, const std::vector<std::string>& directories) {
    if (settings.kernels.isolation == "none") return {};
    auto found = kernels::check_machine(settings.kernels.launcher, box_settings_of(settings), directories);
    if (!found) return found.error();
    if (!is_missing(found->front())) return {};
    return failure{errc::io_error, "sessions would not be shut in on this machine: " + found->front().text +
                                       ". `cellgate doctor` says what it offers; to serve all the same, for code that "
                                       "you trust, set kernels.isolation = \"none\""};
}

}  // namespace gateway
