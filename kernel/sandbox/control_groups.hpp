// The launcher's control groups: what the machine offers, a group for each box below one of the launcher's own, and the
// removal of what is empty, also of what a launcher that was killed has left. Launcher's one thread.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "kernel/sandbox/control_group.hpp"

namespace kernel {

class control_groups {
  public:
    // Moves this process's group aside where that is needed (version 2); throws nothing.
    explicit control_groups(control_files& files = machine_control_files(), const std::string& process = "/proc/self");
    // Waits a moment for what is still ending in them.
    ~control_groups();
    control_groups(const control_groups&) = delete;
    control_groups& operator=(const control_groups&) = delete;

    limits_notice offered() const;
    // Without limits until set(). Throws box_error.
    control_group make();
    // Removes what has become empty; true while something is left.
    bool sweep();

  private:
    bool claim(const std::string& name);
    void hand_on();
    void find_leftovers();
    bool remove(const std::string& directory);

    control_files& files_;
    control_tree tree_;  // its directories are this launcher's own groups
    std::vector<std::unique_ptr<control_lock>> locks_;
    // Of launchers that were killed, until they are gone.
    struct leftover {
        std::string directory;
        std::unique_ptr<control_lock> lock;
    };
    std::list<leftover> leftovers_;
    std::vector<std::string> ended_;
    long made_ = 0;
};

}  // namespace kernel
