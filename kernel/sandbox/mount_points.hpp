// Makes the places where something is mounted, inside the assembled root. What the box shows of the host is never
// written to: a read-only directory that lacks a mount point is unfolded, that is, replaced by a tmpfs that shows the
// same entries.
#pragma once

#include <string>
#include <vector>

namespace kernel {

class mount_points {
  public:
    // Creates `target` with its parents unless it exists: a directory or an empty file.
    void make(const std::string& target, bool directory);
    // When all is mounted: the unfolded directories become read only again.
    void seal_all() const;

  private:
    void create(const std::string& path, bool directory);
    void unfold(const std::string& directory);

    std::vector<std::string> unfolded_;
};

}  // namespace kernel
