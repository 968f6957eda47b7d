// The ways in which a service may write one character into an answer: as it is, %2F, \u002f, \/, &#47;, &sol;, and
// these within one another (\u0026amp;, %252F). Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gateway::accounts {

struct spelling {
    std::array<char, 4> letters{};
    std::size_t count = 0;   // of the letters that it stands for; 0 for a line break, at which long text is wrapped
    std::size_t length = 0;  // of its text

    std::string_view bytes() const { return {letters.data(), count}; }
};

inline constexpr std::size_t longest_spelling = 48;
inline constexpr int deepest_spelling = 8;  // one within another: three times escaped, a slash has seven backslashes

// What begins at one place of a text, the shortest first. Refers to the text.
class spellings {
  public:
    spellings(std::string_view text, std::size_t at) : rest_(text.substr(at)) {}
    bool next(spelling& into);

  private:
    std::string_view rest_;
    spelling last_;
    int depth_ = 0;
};

// Whether more than the byte itself may begin with it.
bool introduces_spelling(char letter);

}  // namespace gateway::accounts
