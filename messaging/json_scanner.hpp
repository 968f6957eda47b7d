// The members of a JSON object as ranges of its bytes: the syntax of RFC 8259 is checked, nothing is built or copied.
// Pure; any thread. Lone surrogate escapes and ill-formed UTF-8 pass, as Python and JavaScript write them into strings:
// who takes a string out (json_string.hpp) gets U+FFFD for them. Nesting beyond 1,024 levels is refused.
#pragma once

#include <cstddef>
#include <string_view>

namespace messaging {

inline constexpr std::size_t max_json_depth = 1024;

struct json_member {
    std::string_view key;    // between the quotes, still escaped
    std::string_view value;  // whole, without surrounding space
};

class member_scanner {
  public:
    // `object` outlives the scanner and every member that it gave.
    explicit member_scanner(std::string_view object) : text_(object) {}
    // The next member, in the order of the text; false at the end and at the first error.
    bool next(json_member& into);
    // Once next() gave false: the whole text was one object and nothing else.
    bool valid() const { return state_ == state::complete; }
    // Once next() gave false and it is not valid: about where, at the last member or its end.
    std::size_t at() const { return at_; }

  private:
    enum class state { unopened, inside, complete, broken };

    bool open();
    bool read_member(json_member& into);
    bool close();
    bool refuse();

    std::string_view text_;
    std::size_t at_ = 0;
    state state_ = state::unopened;
};

// The elements of an array in the same way.
class element_scanner {
  public:
    // `array` outlives the scanner and every element that it gave.
    explicit element_scanner(std::string_view array) : text_(array) {}
    bool next(std::string_view& into);
    bool valid() const { return state_ == state::complete; }
    std::size_t at() const { return at_; }

  private:
    enum class state { unopened, inside, complete, broken };

    bool close();
    bool refuse();
    bool read_element(std::string_view& into);

    std::string_view text_;
    std::size_t at_ = 0;
    state state_ = state::unopened;
};

// The text is one JSON value of any type.
bool is_json(std::string_view text);

}  // namespace messaging
