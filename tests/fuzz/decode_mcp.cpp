// Input: bytes that an MCP server wrote to its stdout.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "gateway/tools/line_splitter.hpp"
#include "gateway/tools/mcp_content.hpp"
#include "gateway/tools/mcp_message.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::tools;

namespace {

constexpr std::size_t max_line = 256;

void read(const mcp_message& message) {
    if (message.what == mcp_message::kind::request)
        require(decode_mcp(encode_refusal(message.id, rpc_method_not_found, message.method)).size() <= 1);
    if (!message.result) return;
    auto answer = read_call(*message.result);
    auto data = parse_json(answer.data);
    require(data && data->is_object());
    (void)read_initialize(*message.result);
    for (const auto& each : read_tool_page(*message.result).tools) {
        require(!each.name.empty() && parse_json(each.input_schema));
        require(parse_json(call_params(each.name, "{}")) != nullptr);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    line_splitter whole(max_line);
    auto lines = whole.feed(input);
    line_splitter halves(max_line);
    auto again = halves.feed(input.substr(0, size / 2));
    for (auto& each : halves.feed(input.substr(size / 2))) again.push_back(std::move(each));
    require(lines == again);
    for (const auto& each : lines) {
        require(each.text.size() <= max_line);
        for (const auto& message : decode_mcp(each.text)) read(message);
    }
    for (const auto& message : decode_mcp(input)) read(message);
    return 0;
}
