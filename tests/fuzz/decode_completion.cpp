// Input: the body of an answer of POST /chat/completions; the same bytes as one object, and as a model's whole text.
#include <cstddef>
#include <cstdint>

#include "gateway/tools/code_fence.hpp"
#include "gateway/tools/completion_stream.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::tools;

namespace {

constexpr std::size_t max_bytes = 512;

struct reading {
    bool is_over = false;
    completion made;

    bool operator==(const reading&) const = default;
};

reading read(std::string_view input, std::size_t step) {
    completion_stream stream(max_bytes);
    reading made;
    for (std::size_t at = 0; at < input.size() && !made.is_over; at += step)
        made.is_over = !stream.feed(input.substr(at, step));
    made.made = stream.so_far();
    require(made.made.text.size() <= max_bytes);
    if (auto whole = stream.finish(); whole && !made.is_over) require(*whole == made.made);
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    auto bytewise = read(input, 1);
    auto whole = read(input, size + 1);
    require(whole.is_over == bytewise.is_over);
    if (!whole.is_over) require(whole == bytewise);
    completion_stream object(max_bytes);
    (void)object.feed_object(input);
    auto inside = without_fence(input);
    require(inside.size() <= input.size() && input.find(inside) != std::string_view::npos);
    return 0;
}
