#include "kernel/interpreter/python_answers.hpp"

#include <pybind11/pybind11.h>

#include "kernel/interpreter/kernel_process.hpp"
#include "kernel/interpreter/python_text.hpp"
#include "kernel/interpreter/replies.hpp"

namespace kernel {
namespace {

namespace py = pybind11;

py::object kernel_of(kernel_process& owner) {
    return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(owner.kernel_object()));
}

// As a reply names it: the type's own name, and str() of the exception.
std::string error_of(py::error_already_set& error) {
    std::string name = py::str(error.type().attr("__name__"));
    std::string value;
    try {
        value = text_of(py::str(error.value()));
    } catch (py::error_already_set&) {
        value = "an exception whose text cannot be had";
    }
    return error_content(name, value);
}

template <class... Arguments>
std::string ask(kernel_process& owner, const char* method, Arguments&&... arguments) {
    try {
        return text_of(kernel_of(owner).attr(method)(std::forward<Arguments>(arguments)...));
    } catch (py::error_already_set& error) {
        return error_of(error);
    }
}

// What goes wrong around a request must not keep it from being answered.
template <class... Arguments>
void tell(kernel_process& owner, const char* method, Arguments&&... arguments) {
    try {
        kernel_of(owner).attr(method)(std::forward<Arguments>(arguments)...);
    } catch (py::error_already_set& error) {
        error.discard_as_unraisable(method);
    }
}

py::object id_of(const shell* which) {
    if (!which || which->id.empty()) return py::none();
    return py::str(which->id);
}

py::list buffers_of(const messaging::message& from) {
    py::list all;
    for (const auto& each : from.buffers) all.append(py::bytes(each));
    return all;
}

}  // namespace

void python_answers::enter(const messaging::message& request) {
    if (shell_ && shell_->id.empty())
        owner_.server().set_captured_parent(std::make_shared<std::string>(request.header));
    if (shell_) tell(owner_, "enter", id_of(shell_), python_text(request.header), python_text(request.metadata));
}

void python_answers::leave() {
    if (shell_) tell(owner_, "leave", id_of(shell_));
}

int python_answers::next_count() {
    try {
        return kernel_of(owner_).attr("next_count")().cast<int>();
    } catch (py::error_already_set& error) {
        error.discard_as_unraisable("next_count");
    } catch (py::cast_error&) {
    }
    return 0;
}

std::string python_answers::execute(const cell& what) {
    return ask(owner_, "execute", python_text(what.code), what.silent, what.store_history,
               python_text(what.user_expressions), what.allow_stdin);
}

std::string python_answers::complete(const std::string& code, int cursor_position) {
    return ask(owner_, "complete", python_text(code), cursor_position);
}

std::string python_answers::inspect(const std::string& code, int cursor_position, int detail_level) {
    return ask(owner_, "inspect", python_text(code), cursor_position, detail_level);
}

std::string python_answers::is_complete(const std::string& code) {
    return ask(owner_, "is_complete", python_text(code));
}

std::string python_answers::history(const std::string& content) { return ask(owner_, "history", python_text(content)); }

std::string python_answers::info() { return owner_.info(); }

std::optional<std::string> python_answers::handle(const std::string& type, const messaging::message& request) {
    try {
        auto reply = kernel_of(owner_).attr("handle")(python_text(type), python_text(request.content),
                                                      python_text(request.metadata), buffers_of(request),
                                                      python_text(request.header));
        if (reply.is_none()) return std::nullopt;
        return text_of(reply);
    } catch (py::error_already_set& error) {
        return error_of(error);
    }
}

}  // namespace kernel
