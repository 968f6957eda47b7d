#include "kernel/launcher/machine_check.hpp"

#include <poll.h>

#include <chrono>
#include <memory>
#include <utility>

#include "kernel/launcher/output_file.hpp"
#include "kernel/sandbox/box.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/control_groups.hpp"
#include "kernel/sandbox/file_wall.hpp"

namespace kernel {
namespace {

constexpr std::chrono::milliseconds box_limit(10'000);
constexpr std::size_t words_limit = 16'384;

launch_request trial(const std::vector<std::string>& directories) {
    launch_request what;
    what.id = "trial";
    what.argv = {"/bin/cat", "/proc/self/status"};
    what.env = {{"PATH", "/usr/bin:/bin"}};
    what.working_dir = "/";
    what.own_network = true;
    for (const std::string& each : directories)
        what.mounts.push_back({each, "/mnt/" + std::to_string(what.mounts.size()), true});
    return what;
}

// Until nothing lives in it any more.
void wait_for_end(box& inside) {
    const auto deadline = std::chrono::steady_clock::now() + box_limit;
    while (!inside.is_empty()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) throw box_error("a box did not end within ten seconds");
        pollfd waited[2] = {{inside.end(), POLLIN, 0}, {inside.reports(), POLLIN, 0}};
        poll(waited, inside.is_ending() ? 1 : 2, static_cast<int>(left.count()));
        inside.receive();
    }
    inside.reap();
    if (!inside.runs()) throw box_error(inside.error());
}

std::string status_inside(const isolation& how, id_range ids, control_groups& groups,
                          const std::vector<std::string>& directories) {
    const launch_request what = trial(directories);
    check(what);
    box_users users(ids);
    const auto user = how.users_of_its_own() ? users.take(what.mounts) : nullptr;
    output_file output = output_file::in_memory();
    const control_group group = groups.make();
    box inside = box::make(what, how.with_network(what.own_network), user, output.writer(), group, [] {});
    wait_for_end(inside);
    return output.last_lines(words_limit);
}

std::string missing_from(const std::string& status) {
    constexpr const char* expected[][2] = {{"CapEff:\t0000000000000000\n", "no capabilities"},
                                           {"CapBnd:\t0000000000000000\n", "no capabilities to be had"},
                                           {"NoNewPrivs:\t1\n", "no new privileges"},
                                           {"Seccomp:\t2\n", "filtered system calls"}};
    for (const auto& [line, name] : expected)
        if (status.find(line) == std::string::npos) return name;
    return {};
}

std::string who_runs_inside(const isolation& how, id_range ids) {
    if (how.unprivileged)
        return "what runs in a box is user " + std::to_string(how.uid) + " of this machine, as the gateway is";
    return "each box is a user of its own, " + std::to_string(ids.first) + " to " +
           std::to_string(std::uint64_t{ids.first} + ids.count - 1);
}

finding check_boundary(const isolation& how, id_range ids, control_groups& groups,
                       const std::vector<std::string>& directories) {
    if (!how.confined)
        return {"boundary", finding_state::missing, "kernels.isolation is \"none\": a session is no boundary"};
    try {
        const std::string missing = missing_from(status_inside(how, ids, groups, directories));
        if (missing.empty())
            return {
                "boundary", finding_state::present,
                "namespaces, no capabilities, no new privileges, filtered system calls; " + who_runs_inside(how, ids)};
        return {"boundary", finding_state::missing, "a box did not have " + missing};
    } catch (const box_error& error) {
        return {"boundary", finding_state::missing, error.what()};
    }
}

finding check_limits(const limits_notice& offered) {
    if (offered.cpu && offered.memory && offered.pids)
        return {"limits", finding_state::present, "a session is kept to its processors, memory and processes"};
    std::string missing;
    for (const auto& [there, name] : {std::pair(offered.cpu, "processors"), std::pair(offered.memory, "memory"),
                                      std::pair(offered.pids, "processes")})
        if (!there) missing += (missing.empty() ? "" : ", ") + std::string(name);
    return {"limits", finding_state::missing, missing + " are not limited: " + offered.reason};
}

// What every version adds to a box is in docs/security.md.
finding check_landlock(const isolation& how) {
    const landlock_support found = find_landlock();
    if (found.version == 0)
        return {"Landlock", finding_state::missing,
                found.reason + ": what a box may write to is kept by its read-only mounts alone"};
    if (!how.confined) return {"Landlock", finding_state::missing, "not used: kernels.isolation is \"none\""};
    return {"Landlock", finding_state::present,
            "version " + std::to_string(found.version) + ", a second wall around what a box may write to"};
}

}  // namespace

std::vector<finding> check_machine(const isolation& how, id_range ids, const std::vector<std::string>& directories) {
    control_groups groups;
    return {check_boundary(how, ids, groups, directories), check_limits(groups.offered()), check_landlock(how)};
}

}  // namespace kernel
