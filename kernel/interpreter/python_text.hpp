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

}  // namespace kernel
