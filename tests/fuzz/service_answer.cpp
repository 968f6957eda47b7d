// Input: the body of a service's answer, or of Composio's; the first byte chooses what its headers say.
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "gateway/accounts/proxy_answer.hpp"
#include "gateway/tools/composio_page.hpp"
#include "messaging/json_scanner.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::accounts;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array types{"application/json", "text/plain", "image/png", "", "application/xml"};
    if (size == 0) return 0;
    std::string input(reinterpret_cast<const char*>(data + 1), size - 1);
    account of;
    const credential with(of, "hidden-secret");
    gateway::outbound::headers fields{{"Content-Type", types[data[0] % types.size()]},
                                      {"X-Echo", input.substr(0, 100)}};
    auto text = envelope(make_answer(200, fields, input, with));
    require(messaging::is_json(text));
    require(text.find("hidden-secret") == std::string::npos);
    if (auto page = gateway::tools::read_composio_page(input))
        for (const auto& each : page->tools) {
            require(!each.slug.empty() && nlohmann::json::accept(each.input_schema));
            require(nlohmann::json::accept(gateway::tools::composio_call(each, "{}", each.name, each.toolkit)));
        }
    if (auto answer = gateway::tools::read_composio_answer(input)) require(nlohmann::json::accept(*answer));
    return 0;
}
