// What the calling process may do beside its user's rights.
#pragma once

namespace kernel {

// CAP_SYS_ADMIN: namespaces can be made without one for users.
bool may_administer();
// Only those that it takes to join a box (setns), which were held before.
void keep_joining_capabilities();
// What is executed next has the same capabilities, as only root's programs do by themselves.
void pass_on_capabilities();
// None, and none to be had by executing a program.
void drop_capabilities();

}  // namespace kernel
