#include "gateway/server/limits.hpp"

#include <fmt/format.h>

#include "gateway/base/log.hpp"

namespace gateway::server {
namespace {

result<void> require_or_warn(const config::config& settings, const std::string& missing, const char* then = "") {
    if (settings.kernels.require_limits)
        return failure{errc::conflict, missing + "; kernels.require_limits is true, so it does not start"};
    log::warning("{}{}", missing, then);
    return {};
}

}  // namespace

std::string missing_limits(const kernel::limits_notice& enforced) {
    std::string missing;
    auto look = [&missing](bool holds, const char* name) {
        if (!holds) missing += (missing.empty() ? "" : ", ") + std::string(name);
    };
    look(enforced.cpu, "cpu");
    look(enforced.memory, "memory");
    look(enforced.pids, "pids");
    return missing;
}

result<void> check_limits(const config::config& settings, const result<kernel::limits_notice>& enforced) {
    if (!enforced) return enforced.error();
    const auto missing = missing_limits(*enforced);
    if (missing.empty()) return {};
    const auto text = fmt::format(
        "this machine cannot limit {} of sandboxes ({}): run the gateway as root, or as a service with Delegate=yes "
        "under control groups version 2 (docs/limits.md)",
        missing, enforced->reason);
    return require_or_warn(settings, text, "; sessions run without these limits");
}

result<void> check_landlock(const config::config& settings, const std::string& missing) {
    if (missing.empty() || settings.kernels.isolation == "none") return {};
    return require_or_warn(settings,
                           fmt::format("this machine has no Landlock ({}): what sessions may write to is kept by "
                                       "read-only mounts alone (docs/security.md)",
                                       missing));
}

result<void> check_disk(const config::config& settings, const std::string& missing) {
    if (missing.empty()) return {};
    return require_or_warn(settings,
                           fmt::format("what sessions write to the disk has no limit: {} (docs/limits.md)", missing));
}

}  // namespace gateway::server
