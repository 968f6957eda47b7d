// Jupyter's kernel model. Pure reads of a session; io thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/sessions/registry.hpp"

namespace gateway::api::jupyter {

// {"id","name","last_activity","execution_state","connections"[,"reason"]}. jupyter_server's client refuses a model
// whose last_activity has other than six fractional digits and Z, or that lacks one of the five keys.
// An alias has the name of its attach kernelspec and counts its own connections; the kernel's own id counts every
// connection, agents' sockets too, so that a server in front of us does not cull what someone else uses.
std::string kernel_model(const sessions::kernel_entry& kernel);
std::string kernel_models(const std::vector<sessions::kernel_entry>& kernels);

std::size_t count_connections(const sessions::kernel_entry& kernel);

}  // namespace gateway::api::jupyter
