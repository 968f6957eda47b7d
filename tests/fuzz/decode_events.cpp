// Input: the body of a text/event-stream answer.
#include <cstddef>
#include <cstdint>

#include "gateway/tools/event_stream.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::tools;

namespace {

constexpr std::size_t max_event = 256;

// All of it at once, or byte by byte: the same events. Where it stops at a limit may differ, not that it does.
struct reading {
    std::vector<server_event> events;
    bool is_over = false;
    std::string last_id;

    bool operator==(const reading&) const = default;
};

reading read(std::string_view input, std::size_t step) {
    event_stream stream(max_event);
    reading made;
    for (std::size_t at = 0; at < input.size() && !made.is_over; at += step) {
        auto come = stream.feed(input.substr(at, step));
        made.is_over = !come;
        if (come) made.events.insert(made.events.end(), come->begin(), come->end());
    }
    made.last_id = stream.last_id();
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    auto bytewise = read(input, 1);
    for (const auto& each : bytewise.events) require(each.data.size() <= max_event && !each.type.empty());
    auto whole = read(input, size + 1);
    require(whole.is_over == bytewise.is_over);
    if (!whole.is_over) require(whole == bytewise);
    return 0;
}
