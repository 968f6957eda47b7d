// The control group file system, as far as boxes need it: the border at which tests put another in its place.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {

// Keeps a directory for its holder, and goes with the holder's process.
class control_lock {
  public:
    virtual ~control_lock() = default;
};

class control_files {
  public:
    virtual ~control_files() = default;
    virtual std::optional<std::string> read(const std::string& path) const = 0;
    // All of it at once, to a file that is there. These three: 0, or errno's number.
    virtual int write(const std::string& path, const std::string& text) = 0;
    virtual int make(const std::string& directory) = 0;
    virtual int remove(const std::string& directory) = 0;
    // Names of the directories in it.
    virtual std::vector<std::string> children(const std::string& directory) const = 0;
    virtual bool may_write(const std::string& path) const = 0;
    // Null when another process has it, or there is no such directory.
    virtual std::unique_ptr<control_lock> lock(const std::string& directory) = 0;
    // Nothing when it cannot be had.
    virtual file_descriptor open_directory(const std::string& path) const = 0;
    virtual file_descriptor open_to_write(const std::string& path) const = 0;
};

// The machine's own.
control_files& machine_control_files();

}  // namespace kernel
