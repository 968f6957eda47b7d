#include "gateway/base/base64.hpp"

#include <openssl/evp.h>

#include <limits>

namespace gateway {
namespace {

constexpr std::size_t step_bytes = 3u << 20;  // OpenSSL counts in int; a whole number of groups

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string made((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes a NUL at the end
    std::size_t written = 0;
    for (std::size_t at = 0; at < bytes.size(); at += step_bytes) {
        const auto step = bytes.substr(at, step_bytes);
        auto* into = reinterpret_cast<unsigned char*>(made.data() + written);
        written += static_cast<std::size_t>(EVP_EncodeBlock(into, bytes_of(step), static_cast<int>(step.size())));
    }
    made.resize(written);
    return made;
}

std::optional<std::string> from_base64(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (text.size() % 4 != 0 || text.size() > std::numeric_limits<int>::max()) return std::nullopt;
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    // EVP_DecodeBlock skips space around the text, and takes = anywhere.
    if (text.substr(0, text.size() - padding).find_first_not_of(digits) != std::string_view::npos) return std::nullopt;
    std::string made(text.size() / 4 * 3, '\0');
    auto* into = reinterpret_cast<unsigned char*>(made.data());
    if (!text.empty() && EVP_DecodeBlock(into, bytes_of(text), static_cast<int>(text.size())) < 0) return std::nullopt;
    made.resize(made.size() - padding);
    return made;
}

}  // namespace gateway
