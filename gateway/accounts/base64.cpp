#include "gateway/accounts/base64.hpp"

#include <openssl/evp.h>

namespace gateway::accounts {

std::string to_base64(std::string_view bytes) {
    std::string made((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL writes a NUL at the end
    auto count = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(made.data()),
                                 reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    made.resize(static_cast<std::size_t>(count));
    return made;
}

std::optional<std::string> from_base64(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    // EVP_DecodeBlock skips space around the text, and takes = anywhere.
    if (text.substr(0, text.size() - padding).find_first_not_of(digits) != std::string_view::npos) return std::nullopt;
    std::string made(text.size() / 4 * 3, '\0');
    auto count = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(made.data()),
                                 reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    if (count < 0) return std::nullopt;
    made.resize(static_cast<std::size_t>(count) - padding);
    return made;
}

}  // namespace gateway::accounts
