#include "gateway/kernels/zygotes.hpp"

#include <algorithm>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/kernels/launch_command.hpp"

namespace gateway::kernels {

void prepare_zygotes(kernel_environment& shared, kernelspec_store& specs, const std::vector<std::string>& names) {
    std::vector<::kernel::zygote_command> prepared;  // two names may stand for one
    for (const auto& name : names) {
        auto spec = specs.find(name);
        if (!spec) continue;
        auto command = make_zygote_command(shared, *spec);
        if (!command) {
            log::warning("{}", command.error().message);
            continue;
        }
        if (!*command || std::find(prepared.begin(), prepared.end(), **command) != prepared.end()) continue;
        prepared.push_back(**command);
        shared.processes.prepare(std::move(**command));
    }
}

}  // namespace gateway::kernels
