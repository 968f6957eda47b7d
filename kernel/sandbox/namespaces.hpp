// The namespaces of a box: which are needed, and the process that lives in new ones.
#pragma once

#include <sys/types.h>

#include <string>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {

// Read before the namespaces are entered: inside, the ids are unmapped and the capabilities full.
struct isolation {
    bool user_namespace = false;  // needed by who may not administer the machine (CAP_SYS_ADMIN)
    uid_t uid = 0;
    gid_t gid = 0;
};
isolation needed_isolation();

// For a process that is to fork zygotes as an ordinary user: a user namespace of the same ids, in which it and what it
// executes may join the boxes made from it. Throws box_error; keeps no other capabilities than that takes.
void enter_user_namespace(const isolation& how);

// fork() into new mount, pid, ipc, uts (and user) namespaces: 0 in the child, which is pid 1 there.
// The child must not start threads: the C library there still believes in the parent's thread id.
pid_t fork_into_namespaces(const isolation& how, file_descriptor& pidfd);
// The same into a new mount namespace only.
pid_t fork_into_mount_namespace(file_descriptor& pidfd);

// In the child: the same uid and gid as outside, and nobody else.
void map_ids(const isolation& how);
void set_hostname(const std::string& name);

}  // namespace kernel
