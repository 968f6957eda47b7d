// Finds a secret in an answer, however each of its characters is spelled there (spellings.hpp). Its time is linear in
// the text, times a word of memory for each 64 characters of the secret that the text has begun to repeat. Any thread.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::accounts {

// What may stand in one place of a secret.
using letter_set = std::bitset<256>;
using pattern = std::vector<letter_set>;

pattern pattern_of(std::string_view secret);      // either case of a letter
pattern hex_pattern_of(std::string_view secret);  // either case
// The base64 digits, of either alphabet, that say something of the secret when `before` bytes (0 to 2) precede it in
// their group. Of the last digit only the bits that are the secret's are looked at, a first one that it shares is not.
pattern base64_pattern_of(std::string_view secret, std::size_t before);

class secret_finder {
  public:
    enum class edges : std::uint8_t { any, whole_words };

    secret_finder(const pattern& what, edges where);
    ~secret_finder();  // wipes it
    secret_finder(secret_finder&&) = default;
    secret_finder& operator=(secret_finder&&) = delete;

    // Each place where it stands becomes `by`.
    void replace_in(std::string& text, std::string_view by) const;

  private:
    struct scan;
    std::size_t start_of(std::string_view text, std::size_t end, std::size_t first) const;
    bool accepts(std::size_t at, char letter) const;
    bool is_whole(std::string_view text, std::size_t from, std::size_t end) const;

    std::size_t size_;
    std::size_t words_;
    edges edges_;
    std::array<std::uint8_t, 256> row_of_{};
    std::vector<std::vector<std::uint64_t>> rows_;  // of a byte: at which places of the pattern it may stand
    std::array<bool, 256> may_begin_{};
};

}  // namespace gateway::accounts
