// A command's output as text: however it is cut, it is UTF-8 and the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/sessions/text_decoder.hpp"
#include "messaging/utf8.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t step = 1 + data[0] % 7;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    gateway::sessions::text_decoder decoder;
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += step) text += decoder.decode(bytes.substr(at, step));
    text += decoder.finish();
    require(text == messaging::replace_invalid_utf8(bytes));
    require(messaging::is_utf8(text));
    return 0;
}
