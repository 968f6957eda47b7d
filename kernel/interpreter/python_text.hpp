// Text between C++ (UTF-8, perhaps ill-formed) and Python. With the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

namespace kernel {

// Ill-formed bytes become U+FFFD.
pybind11::object python_text(std::string_view utf8);
// UTF-8 of a str; half characters, which Python lets in, are encoded like others and are thus ill-formed. Bytes as they
// are. Throws pybind11::error_already_set (TypeError) for anything else.
std::string text_of(pybind11::handle from);

// The same without a copy where there need be none; the str outlives it.
class text_view {
  public:
    explicit text_view(pybind11::handle from);
    std::string_view utf8() const { return utf8_; }

  private:
    pybind11::object encoded_;  // of a str that is not ASCII; Python would keep its own encoding as long as the str
    std::string_view utf8_;
};

}  // namespace kernel
