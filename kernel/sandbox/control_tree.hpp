// Where the machine lets this process limit others: for each controller a directory of a control group file system,
// version 1 or 2, below which groups can be made. Values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/sandbox/control_files.hpp"

namespace kernel {

enum class controller : std::uint8_t { cpu, memory, pids };
inline constexpr std::array all_controllers = {controller::cpu, controller::memory, controller::pids};
const char* to_string(controller which);

struct control_place {
    int version = 0;        // 0: none
    std::string directory;  // of this process's own group, or above it

    explicit operator bool() const { return version != 0; }
    bool operator==(const control_place&) const = default;
};

struct control_tree {
    std::array<control_place, 3> places;   // by controller
    std::array<std::string, 3> reasons{};  // why there is none

    control_place& of(controller which) { return places[static_cast<std::size_t>(which)]; }
    const control_place& of(controller which) const { return places[static_cast<std::size_t>(which)]; }
    void leave_out(controller which, std::string why);
    // Each once.
    std::vector<std::string> directories() const;
    // That of version 2, which its controllers share; empty when there is none.
    std::string second() const;
};

// The group that processes are moved to before the one they were in can have children with controllers (version 2).
inline constexpr const char* emptied_into = "cellgate-gateway";

// `process` is the directory of this process in /proc.
control_tree find_control_tree(const control_files& files, const std::string& process = "/proc/self");

// Version 2: groups in its directory have the tree's controllers from now on. What cannot be had is left out. Moves the
// processes of this process's own group.
void delegate_controllers(control_files& files, control_tree& tree);

}  // namespace kernel
