// What a kernelspec says to this gateway alone: metadata.cellgate (docs/kernel.md). Values; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"
#include "gateway/kernels/kernel_state.hpp"

namespace gateway::kernels {

struct kernelspec_hints {
    std::optional<transport> over;     // the only one to try
    std::string prefix;                // of the Python environment that a fork server serves; empty: argv is executed
    std::vector<std::string> preload;  // modules that the fork server has imported

    bool is_forked() const { return !prefix.empty(); }
    bool operator==(const kernelspec_hints&) const = default;
};

// Of a kernelspec's metadata object; what is not for us is not looked at. A failure names the key and what is allowed.
result<kernelspec_hints> parse_hints(const nlohmann::json& metadata);

}  // namespace gateway::kernels
