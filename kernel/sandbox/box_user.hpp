// Who the processes of a box are: the user "user" inside, and nobody else's outside. Launcher's one thread; its
// children use what they inherit.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/launcher/protocol.hpp"

namespace kernel {

// "user" in every box, with a group of the same number.
inline constexpr uid_t id_inside = 1000;

// Ids of the host that belong to nobody: each living box has one of its own.
struct id_range {
    std::uint32_t first = 2'000'000'000;
    std::uint32_t count = 65'536;
};

// One of them, which stands for id_inside. Made by root.
class box_user {
  public:
    // Throws box_error.
    explicit box_user(uid_t outside);

    uid_t outside() const { return outside_; }
    // The user namespace that a box's processes live in.
    int inside() const { return inside_.get(); }
    // A file or pipe that a process of the box has, so that it can open it again (/dev/stderr). By root, in a child.
    void give(int file) const;
    // In a forked child: what of it is needed to assemble a box.
    void add_descriptors(std::vector<int>& to) const;
    // Makes what owners() needs for what these show, unless it is there: by the launcher, since a process of a new pid
    // namespace cannot name its children in the host's /proc. Throws box_error.
    void prepare(const std::vector<bind_mount>& mounts);
    // A user namespace by which a mount shows the files of `uid` and `gid` as this user's, and keeps this user's files
    // as theirs. Throws box_error when it was not prepared.
    int owners(uid_t uid, gid_t gid) const;

  private:
    struct owner {
        uid_t uid;
        gid_t gid;
        file_descriptor as_user;
    };

    uid_t outside_;
    file_descriptor inside_;
    std::vector<owner> owners_;
};

class box_users {
  public:
    explicit box_users(id_range ids) : ids_(ids) {}
    // One that no living box has, prepared for these mounts; free again when the last pointer goes. Throws box_error
    // when all are taken.
    std::shared_ptr<const box_user> take(const std::vector<bind_mount>& mounts);

  private:
    std::shared_ptr<box_user> find_free();

    id_range ids_;
    std::vector<std::shared_ptr<box_user>> made_;
};

}  // namespace kernel
