// The fork servers that kernels will be forked from, before there is any kernel. io thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/kernels/kernel.hpp"

namespace gateway::kernels {

// Has the launcher start those of the kernelspecs that are called so, that the first kernels need not wait for their
// imports. A spec that is not there or has none is passed over, one whose fork server cannot be started is logged.
void prepare_zygotes(kernel_environment& shared, kernelspec_store& specs, const std::vector<std::string>& names);

}  // namespace gateway::kernels
