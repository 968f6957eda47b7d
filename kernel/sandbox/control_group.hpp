// The control group of one box, in each file system that has a controller: what its processes may use together. A
// resource: when it goes, so do its directories, as soon as nothing lives in them. Launcher's one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/protocol.hpp"
#include "kernel/sandbox/control_tree.hpp"

namespace kernel {

class control_group {
  public:
    control_group() = default;  // none: everything below does nothing
    // Of directories that are there; `tree` says where its controllers are. `gone` takes the directories at the end.
    control_group(control_files& files, control_tree tree, std::function<void(std::vector<std::string>)> gone);
    control_group(control_group&& other) noexcept { swap(other); }
    control_group& operator=(control_group&& other) noexcept;
    ~control_group();

    // Writes numbers only; 0 is no limit. What there is no controller for is left out. Throws box_error.
    void set(const box_limits& what);
    // The calling process, and what it forks from then on. `but_second`: it was born into the directory of version 2.
    // Throws box_error.
    void enter(bool but_second = false) const;
    // Where a process can be born into it (version 2); else no descriptor.
    file_descriptor second() const;
    // For a process that cannot go to the directories: writing "0" to each is enter(). Throws box_error.
    std::vector<file_descriptor> entrances() const;
    // How many of its processes were killed since memory ran out in it.
    long memory_kills() const;

  private:
    void swap(control_group& other) noexcept;
    void set_cpu(std::int64_t millis);
    void set_memory(std::int64_t bytes);
    void set_pids(std::int64_t count);
    void write(controller which, const char* file, const std::string& text);

    control_files* files_ = nullptr;
    control_tree tree_;
    std::function<void(std::vector<std::string>)> gone_;
};

// enter() through descriptors of entrances(), which are closed. Throws box_error.
void enter_groups(std::vector<file_descriptor> entrances);

}  // namespace kernel
