// What the calling process may do beside its user's rights.
#pragma once

namespace kernel {

// CAP_SYS_ADMIN: namespaces can be made without one for users.
bool may_administer();
// Of those that are held, only what it takes to make boxes in user namespaces of their own, and to join them (setns).
void keep_box_capabilities();
// What is executed next may join boxes too, as only root's programs may by themselves.
void pass_on_capabilities();
// What is executed next may join boxes, whoever executes it, and nothing else that takes a capability.
void keep_only_joining();
// None, and none to be had by executing a program.
void drop_capabilities();

}  // namespace kernel
