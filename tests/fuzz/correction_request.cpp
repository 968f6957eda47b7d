// Input: the body of a helper's report of a correction.
#include "gateway/api/helpers/correction_request.hpp"

#include <cstddef>
#include <cstdint>

#include "messaging/utf8.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gateway::api::helpers;
    auto parsed = parse_correction_request({reinterpret_cast<const char*>(data), size});
    if (!parsed) {
        require(!parsed.error().message.empty());
        return 0;
    }
    const auto& what = parsed->what;
    require(!parsed->parent.empty() && what.line >= 1);
    for (const auto& text : {what.written, what.used, what.kind}) {
        require(messaging::is_utf8(text));
        require(text.size() <= most_correction_text + 3);
    }
    return 0;
}
