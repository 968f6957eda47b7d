// Input: the body of a call for packages.
#include "gateway/api/helpers/package_request.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "gateway/packages/requirement.hpp"
#include "gateway/tools/json_text.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    auto call = gateway::api::helpers::parse_package_call(input);
    if (!call) {
        require(!call.error().message.empty());
        return 0;
    }
    require(!call->wanted.empty());
    gateway::packages::package_outcome outcome;
    for (const auto& each : call->wanted) {
        auto name = gateway::packages::name_in(each.requirement);
        // What reaches pip is one line, no option, and names no place.
        if (name) {
            require(gateway::packages::normalized(*name) == *name);
            require(each.requirement.find_first_of("\n\r/\\@:") == std::string::npos &&
                    each.requirement.front() != '-' && each.requirement.find(" -") == std::string::npos);
        }
        outcome.refused.push_back({each.module, name ? "" : name.error().message});
    }
    auto answer = gateway::tools::parse_json(gateway::api::helpers::package_answer(outcome, true));
    require(answer && answer->is_object());
    return 0;
}
