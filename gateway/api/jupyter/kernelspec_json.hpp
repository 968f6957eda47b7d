// Jupyter's kernelspec models. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "gateway/kernels/kernelspec.hpp"

namespace gateway::api::jupyter {

// {"name","spec","resources"}: spec is kernel.json with the fields that clients expect filled in, resources the paths
// BASE_URLkernelspecs/NAME/FILE (jupyter_server's client needs the key, and cuts at the last "/kernelspecs/").
std::string kernelspec_model(const kernels::kernelspec& spec, const std::string& base_url);
// {"default", "kernelspecs": {NAME: model}}
std::string kernelspec_models(const std::vector<kernels::kernelspec>& specs, const std::string& default_name,
                              const std::string& base_url);

}  // namespace gateway::api::jupyter
