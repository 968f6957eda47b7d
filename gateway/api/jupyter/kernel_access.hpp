// Which kernels a caller may see, start and end: the rules that /api/kernels, /api/sessions and the channels share.
// io thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/api/jupyter/context.hpp"
#include "gateway/api/jupyter/kernel_request.hpp"

namespace gateway::api::jupyter {

// The user whose kernel (or alias) it is.
const std::string& owner_of(const sessions::kernel_entry& kernel);

// kernel_not_found for another user's kernel as for one that never was; of one that is gone the message says why.
result<sessions::kernel_entry> find_kernel(context& with, const http::principal& caller, const std::string& id);

// What GET /api/kernels lists for this caller.
std::vector<sessions::kernel_entry> visible_kernels(context& with, const http::principal& caller);

// Starts a kernel in a session of its own, or, when the name is an attach kernelspec's, enters that session through an
// alias. Answers at once: the kernel may still be starting.
awaitable<result<sessions::kernel_entry>> start_kernel(context& with, http::principal caller, kernel_request what);

// DELETE's rules: an alias only detaches; the own id of an agent's session is forbidden; any other session ends.
awaitable<result<void>> end_kernel(context& with, http::principal caller, sessions::kernel_entry kernel);

}  // namespace gateway::api::jupyter
