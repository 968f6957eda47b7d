// Input: one byte with the size of the pieces, then what a client sends after CONNECT. What is found must not depend on
// the pieces, and a hello passes for its own name only.
#include "gateway/egress/client_hello.hpp"

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/require.hpp"

using namespace gateway::egress;

namespace {

constexpr std::size_t max_bytes = 2000;

hello_reader read(std::string_view bytes, std::size_t piece) {
    hello_reader reader(max_bytes);
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        (void)reader.feed(bytes.substr(0, piece));
    return reader;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    auto whole = read(bytes, size);
    auto pieces = read(bytes, data[0] + 1u);
    auto state = whole.feed({});
    require(state == pieces.feed({}));
    if (state != hello_reader::state::done) return 0;
    const auto& hello = whole.hello();
    require(hello.server_name == pieces.hello().server_name && hello.encrypted == pieces.hello().encrypted);
    auto ours = *parse_destination("a.test:443", 0);
    if (judge(hello, ours, network_mode::allow)) return 0;
    require(!hello.encrypted && hello.server_name && *parse_name(*hello.server_name) == "a.test");
    return 0;
}
