#include "kernel/interpreter/python_text.hpp"

namespace kernel {

namespace py = pybind11;

namespace {

void require_str(py::handle from) {
    if (!PyUnicode_Check(from.ptr())) throw py::type_error("a str is needed here");
}

py::bytes owned(PyObject* encoded) {
    if (!encoded) throw py::error_already_set();
    return py::reinterpret_steal<py::bytes>(encoded);
}

py::bytes encode_half_characters(py::handle from) {
    return owned(PyUnicode_AsEncodedString(from.ptr(), "utf-8", "surrogatepass"));
}

py::bytes encode(py::handle from) {
    if (auto* encoded = PyUnicode_AsUTF8String(from.ptr())) return owned(encoded);
    PyErr_Clear();
    return encode_half_characters(from);
}

}  // namespace

py::object python_text(std::string_view utf8) {
    auto* made = PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "replace");
    if (!made) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
}

std::string text_of(py::handle from) {
    if (PyBytes_Check(from.ptr()))
        return {PyBytes_AS_STRING(from.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(from.ptr()))};
    require_str(from);
    Py_ssize_t size = 0;
    if (const char* text = PyUnicode_AsUTF8AndSize(from.ptr(), &size)) return {text, static_cast<std::size_t>(size)};
    PyErr_Clear();
    return encode_half_characters(from);
}

text_view::text_view(py::handle from) {
    require_str(from);
    if (PyUnicode_IS_COMPACT_ASCII(from.ptr())) {
        utf8_ = {static_cast<const char*>(PyUnicode_DATA(from.ptr())),
                 static_cast<std::size_t>(PyUnicode_GET_LENGTH(from.ptr()))};
        return;
    }
    encoded_ = encode(from);
    utf8_ = {PyBytes_AS_STRING(encoded_.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(encoded_.ptr()))};
}

}  // namespace kernel
