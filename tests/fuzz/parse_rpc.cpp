// Input: one text frame of an agent's WebSocket.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "gateway/api/agent/rpc.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::api::agent;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto frame = parse_rpc(std::string_view(reinterpret_cast<const char*>(data), size));
    require(!frame.calls.empty());
    for (const auto& call : frame.calls) {
        auto answer = call.malformed ? rpc_failure(call.id, *call.malformed, "req_1") : std::string();
        if (!call.malformed) require(call.params != nullptr);
        if (!call.malformed && call.wants_answer()) answer = rpc_result(call.id, "{}");
        if (call.malformed && !call.wants_answer()) answer.clear();
        require(answer.empty() || nlohmann::json::accept(answer));
    }
    return 0;
}
