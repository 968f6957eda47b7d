#include <cstddef>
#include <cstdint>
#include <string>

#include "gateway/kernels/kernelspec_file.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    auto parsed = gateway::kernels::parse_kernelspec("x", "/x", text);
    if (!parsed) {
        require(!parsed.error().message.empty());
        return 0;
    }
    require(parsed->json == text && !parsed->argv.empty() && !parsed->argv.front().empty());
    require(!parsed->display_name.empty() && !parsed->language.empty());
    require(parsed->interrupt_mode == "signal" || parsed->interrupt_mode == "message");
    require(parsed->metadata.front() == '{' && parsed->metadata.back() == '}');
    return 0;
}
