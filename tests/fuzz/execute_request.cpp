// Input: the body of a helper's call.
#include "gateway/api/helpers/execute_request.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "gateway/tools/json_text.hpp"
#include "gateway/tools/slug_table.hpp"
#include "messaging/json_scanner.hpp"
#include "messaging/json_string.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    auto parsed = gateway::api::helpers::parse_execute_request(input);
    if (!parsed) {
        auto body = gateway::tools::parse_json(gateway::api::helpers::failure_body(parsed.error().message, "log_1"));
        require(body && body->is_object());
        return 0;
    }
    require(!parsed->tool_slug.empty());
    require(messaging::is_object(parsed->arguments) && messaging::is_json(parsed->arguments));
    auto slug = gateway::tools::normalized_slug(parsed->tool_slug);
    require(gateway::tools::normalized_slug(slug) == slug);
    return 0;
}
