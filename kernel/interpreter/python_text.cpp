#include "kernel/interpreter/python_text.hpp"

namespace kernel {

namespace py = pybind11;

py::object python_text(std::string_view utf8) {
    auto* made = PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "replace");
    if (!made) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
}

std::string text_of(py::handle from) {
    if (PyBytes_Check(from.ptr()))
        return {PyBytes_AS_STRING(from.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(from.ptr()))};
    if (!PyUnicode_Check(from.ptr())) throw py::type_error("a str is needed here");
    Py_ssize_t size = 0;
    if (const char* text = PyUnicode_AsUTF8AndSize(from.ptr(), &size)) return {text, static_cast<std::size_t>(size)};
    PyErr_Clear();
    auto encoded = py::reinterpret_steal<py::bytes>(PyUnicode_AsEncodedString(from.ptr(), "utf-8", "surrogatepass"));
    if (!encoded) throw py::error_already_set();
    return encoded;
}

}  // namespace kernel
