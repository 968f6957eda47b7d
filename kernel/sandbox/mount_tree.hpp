// A piece of the host's file tree on its way into a box: taken while the host's root is still seen, attached when it is
// not. So sources under /tmp or /home work, and their symbolic links mean what they mean on the host.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {

class box_user;
class mount_points;

class mount_tree {
  public:
    // A detached copy of `source` and of all that is mounted below it; set-user-id programs do not count in it.
    static mount_tree take(const std::string& source);
    // Nothing when `source` does not exist.
    static std::optional<mount_tree> find(const std::string& source);
    // An entry of an open directory, not following a symbolic link.
    static mount_tree entry(int directory, const std::string& name);

    // Adds to what the mounts have (flags that the host locked stay as they are).
    void make_read_only();
    void hide_devices();
    // Whatever the owner of the tree's top owns is this user's, as long as it is seen here.
    void give_to(const box_user& user);
    bool is_directory() const { return S_ISDIR(mode_); }

    void attach(const std::string& target, mount_points& points) const;

  private:
    mount_tree(std::string source, file_descriptor tree);
    void add_attributes(unsigned long long attributes);

    std::string source_;
    file_descriptor tree_;
    mode_t mode_ = 0;
    uid_t uid_ = 0;
    gid_t gid_ = 0;
};

void mount_tmpfs(const std::string& target, const char* options);
// Only the mount at `target`, not what is mounted below.
void seal(const std::string& target);

}  // namespace kernel
