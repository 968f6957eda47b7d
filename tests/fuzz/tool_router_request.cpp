// Bodies of the tool router: a configuration, a change of it, and a call. What is taken can be shown.
#include <nlohmann/json.hpp>

#include "gateway/api/composio/configuration.hpp"
#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/tool_call.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::api::composio;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    auto call = read_tool_call(text, "tool_slug");
    if (call) {
        require(!call->slug.empty() && call->arguments->is_object());
        (void)check_tool_call(*call, configuration{});
    }
    auto body = read_body(text);
    if (!body) return 0;
    auto made = read_configuration(**body);
    if (!made) return 0;
    require(shown_configuration(*made, "ana").at("workbench").is_object());
    // The same once more changes nothing.
    auto again = change_configuration(*made, **body);
    require(again.has_value() && again->workbench == made->workbench && again->toolkits == made->toolkits);
    return 0;
}
