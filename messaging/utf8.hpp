// UTF-8 as Unicode 15 (table 3-7) defines it: no surrogates, no overlong forms. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace messaging {

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";  // U+FFFD

bool is_utf8(std::string_view text);
// Where the first ill-formed stretch begins; the size when there is none.
std::size_t find_invalid_utf8(std::string_view text);
// Every ill-formed stretch (Unicode's "maximal subpart") becomes one U+FFFD.
std::string replace_invalid_utf8(std::string_view text);
void append_utf8(std::string& to, std::uint32_t code_point);

// Of well-formed text: the byte is the first of its character.
inline bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }
// How many bytes at the end, 0 to 3, begin a character whose rest is yet to come.
std::size_t unfinished_suffix(std::string_view text);
// At most `most` bytes of well-formed text, cut between characters.
std::string_view first_bytes(std::string_view text, std::size_t most);

}  // namespace messaging
