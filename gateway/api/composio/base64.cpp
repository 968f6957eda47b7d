#include "gateway/api/composio/base64.hpp"

#include <openssl/evp.h>

#include <limits>

namespace gateway::api::composio {

std::optional<std::string> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0 || text.size() > std::numeric_limits<int>::max()) return std::nullopt;
    if (text.empty()) return std::string();
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    // OpenSSL passes over blanks at both ends, and takes padding anywhere.
    const bool is_plain = text.find_first_of("= \t\r\n-") >= text.size() - padding;
    if (!is_plain) return std::nullopt;
    std::string made(text.size() / 4 * 3, '\0');
    auto* into = reinterpret_cast<unsigned char*>(made.data());
    const auto* from = reinterpret_cast<const unsigned char*>(text.data());
    if (EVP_DecodeBlock(into, from, static_cast<int>(text.size())) < 0) return std::nullopt;
    made.resize(made.size() - padding);
    return made;
}

}  // namespace gateway::api::composio
