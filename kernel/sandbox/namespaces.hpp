// The namespaces of a box: which are needed, and the process that lives in new ones.
#pragma once

#include <sys/types.h>

#include <string>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/sandbox/box_user.hpp"

namespace kernel {

// Read before the namespaces are entered: inside, the ids are unmapped and the capabilities full.
struct isolation {
    // For who may not administer the machine, which the root of a container that has its own users may not either: all
    // namespaces of a box belong to its user namespace. Else they are the machine's root's, and the box's user
    // namespace, entered last, has no rights over them.
    bool unprivileged = false;
    // What runs in a box has no rights (confinement.hpp). Else root's boxes have no user namespace.
    bool confined = true;
    bool own_network = false;  // of one box: a network namespace (box_network.hpp)
    uid_t uid = 0;
    gid_t gid = 0;

    bool user_namespace() const { return unprivileged || confined; }
    bool users_of_its_own() const { return confined && !unprivileged; }  // box_user.hpp
    isolation with_network(bool of_its_own) const {
        isolation of_one_box = *this;
        of_one_box.own_network = of_its_own;
        return of_one_box;
    }
};
isolation possible_isolation(bool confined);

// One id of a user namespace, and what it is outside.
struct id_mapping {
    unsigned inside = 0;
    unsigned outside = 0;
};
// `process`: "/proc/self", or another's directory in /proc. Throws box_error.
void write_mappings(const std::string& process, const id_mapping& users, const id_mapping& groups);

// For a process that is to fork zygotes as an ordinary user: a user namespace of the same ids, in which it and what it
// executes may join the boxes made from it. Throws box_error; keeps no other capabilities than that takes.
void enter_user_namespace(const isolation& how);

// fork() into new mount, pid, ipc, uts (unprivileged: and user; own_network: and network) namespaces: 0 in the child,
// which is pid 1 there.
// The child must not start threads: the C library there still believes in the parent's thread id.
// `group`: a directory of control groups version 2 that the child is born into; released where that was not possible.
pid_t fork_into_namespaces(const isolation& how, file_descriptor& pidfd, file_descriptor& group);
// The same into a new mount namespace only.
pid_t fork_into_mount_namespace(file_descriptor& pidfd);
// The same into a new user namespace only, without a descriptor.
pid_t fork_into_user_namespace();

// In the child, once it is in its control groups, which are all that can be seen of them from then on.
void enter_control_namespace();

// In the child, unprivileged: the box's user is the user who made it, and there is nobody else.
void map_box_user(const isolation& how);
// In the child of root: the box's user namespace. All rights that are left then are in there.
void enter_user_namespace(const box_user& user);
void set_hostname(const std::string& name);

}  // namespace kernel
