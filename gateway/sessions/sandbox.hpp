// What a session's `sandbox` object says that the gateway acts upon, and the sizes that a sandbox may have. Values;
// pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::sessions {

inline constexpr std::size_t most_sandbox_bytes = 64u << 10;  // of the object; it is in every listing

struct sandbox_settings {
    bool enable = true;  // false: the session has no sandbox of its own, and runs nothing
    std::string size = "standard";

    bool operator==(const sandbox_settings&) const = default;
};

struct sandbox_size {
    std::string name;
    std::int64_t cpus = 1;
    std::int64_t memory_bytes = 1ll << 30;

    bool operator==(const sandbox_size&) const = default;
};

// All of them, the smallest first: standard, medium, large, xlarge.
std::vector<sandbox_size> usual_sizes();

// `object` is a JSON object; a key that is absent or null is as by default. invalid_request names what is wrong.
result<sandbox_settings> read_sandbox(const std::string& object);
// The same of one that was read before.
sandbox_settings known_sandbox(const std::string& object);
// The object with the keys of `change` in place of its own; null takes one away.
std::string change_sandbox(const std::string& object, const std::string& change);

// Why a session that has no sandbox of its own does not do what was asked.
failure no_sandbox();

}  // namespace gateway::sessions
