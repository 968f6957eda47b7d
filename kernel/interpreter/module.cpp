#include "kernel/interpreter/module.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>

#include "kernel/interpreter/kernel_process.hpp"
#include "kernel/interpreter/python_text.hpp"
#include "kernel/interpreter/replies.hpp"
#include "messaging/json_string.hpp"
#include "messaging/large_text.hpp"

namespace py = pybind11;

namespace kernel {
namespace {

using namespace std::chrono_literals;

kernel_process& running() {
    if (auto* found = kernel_process::current()) return *found;
    throw std::runtime_error("no kernel runs in this process");
}

void check_interrupt(kernel_process& kernel) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!kernel.shell_of_thread().interrupted.exchange(false)) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
}

// While it lives, an interrupt of the shell's thread is left to check_interrupt().
class waiting_shell {
  public:
    explicit waiting_shell(kernel_process& kernel) : waiting_(kernel.shell_of_thread().waiting) { waiting_ = true; }
    ~waiting_shell() { waiting_ = false; }
    waiting_shell(const waiting_shell&) = delete;
    waiting_shell& operator=(const waiting_shell&) = delete;

  private:
    std::atomic<bool>& waiting_;
};

// Output waits rather than being dropped, or filling the memory, while clients do not take it.
void wait_for_room(kernel_process& kernel) {
    if (kernel.server().wait_for_room(0ms)) return;
    waiting_shell during(kernel);
    while (!kernel.server().wait_for_room(0ms)) {
        {
            py::gil_scoped_release unlocked;
            kernel.server().wait_for_room(50ms);
        }
        check_interrupt(kernel);
    }
}

std::string bytes_of(py::handle buffer) {
    Py_buffer view;
    if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_ANY_CONTIGUOUS) != 0) throw py::error_already_set();
    std::string copy(static_cast<std::size_t>(view.len), '\0');
    auto copied = PyBuffer_ToContiguous(copy.data(), &view, view.len, 'C');
    PyBuffer_Release(&view);
    if (copied != 0) throw py::error_already_set();
    return copy;
}

// In `json` a NUL, of which JSON text has none, stands for the literal of the next text of `apart`. They have
// megabytes: each is copied once, into its place.
std::string content_of(const py::object& json, const py::sequence& apart) {
    if (apart.empty()) return text_of(json);
    const auto around = text_of(json);
    auto size = around.size();
    for (auto each : apart) size += 2 + static_cast<std::size_t>(PyUnicode_GET_LENGTH(each.ptr()));
    std::string whole;
    messaging::reserve_large(whole, size);
    std::size_t at = 0;
    for (auto each : apart) {
        auto mark = around.find('\0', at);
        whole.append(around, at, mark - at);
        messaging::append_quoted(whole, text_view(each).utf8());
        at = mark + 1;
    }
    whole.append(around, at);
    return whole;
}

void publish(const std::string& type, const py::object& content, const py::sequence& apart, const py::object& metadata,
             const py::iterable& buffers, const py::object& parent, const py::object& topic) {
    auto& kernel = running();
    // An error ends its cell, also one that was interrupted while it waited for room.
    if (type != "error") wait_for_room(kernel);
    auto made = make_publication(text_of(parent), type, kernel.session(), content_of(content, apart));
    made.metadata = text_of(metadata);
    if (!topic.is_none()) made.identities = {text_of(topic)};
    for (auto each : buffers) made.buffers.push_back(bytes_of(each));
    kernel.server().publish(std::move(made));
}

// Prints come by the thousand with one parent: its text is kept from the last time.
parent_text shared_parent(const py::object& parent) {
    thread_local py::handle last;
    thread_local parent_text text;
    if (text && last.is(parent)) return text;
    text = std::make_shared<std::string>(text_of(parent));
    if (last) last.dec_ref();
    last = parent;
    last.inc_ref();
    return text;
}

void write(const std::string& name, const py::object& text, const py::object& parent) {
    if (name != "stdout" && name != "stderr") throw py::value_error("a stream is called stdout or stderr");
    auto& kernel = running();
    auto& server = kernel.server();
    wait_for_room(kernel);
    auto which = name == "stdout" ? output_stream::out : output_stream::err;
    Py_ssize_t size = 0;
    if (const char* plain = PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr)
        return server.write(which, {plain, static_cast<std::size_t>(size)}, shared_parent(parent));
    PyErr_Clear();
    server.write(which, text_of(text), shared_parent(parent));
}

std::string wait_for(input_requests::question& asked, kernel_process& kernel) {
    waiting_shell during(kernel);
    for (;;) {
        std::optional<std::string> answer;
        {
            py::gil_scoped_release unlocked;
            answer = asked.wait();
        }
        check_interrupt(kernel);
        if (answer) return *answer;
    }
}

py::object ask(const py::object& prompt, bool password, const py::object& parent) {
    auto& kernel = running();
    auto& from = kernel.shell_of_thread();
    if (!from.request) throw std::runtime_error("no request is being handled whose client could be asked");
    input_requests::question asked(kernel.inputs(), *from.request, text_of(parent), text_of(prompt), password);
    return python_text(wait_for(asked, kernel));
}

py::dict connection() {
    const auto& where = running().server().where();
    py::dict all;
    all["transport"] = where.transport;
    all["ip"] = where.ip;
    all["shell_port"] = where.shell_port;
    all["iopub_port"] = where.iopub_port;
    all["stdin_port"] = where.stdin_port;
    all["control_port"] = where.control_port;
    all["hb_port"] = where.hb_port;
    all["key"] = where.key;
    all["signature_scheme"] = where.signature_scheme;
    all["kernel_name"] = where.kernel_name;
    return all;
}

void drain() {
    py::gil_scoped_release unlocked;
    running().server().drain_captured();
}

}  // namespace

PYBIND11_MODULE(_cellgate, module) {
    module.doc() = "The C++ side of the kernel that runs in this process.";
    py::class_<shell, shell_pointer>(module, "Shell")
        .def_property_readonly("id",
                               [](const shell& self) -> py::object {
                                   if (self.id.empty()) return py::none();
                                   return py::str(self.id);
                               })
        .def_property_readonly("closed", [](const shell& self) { return self.queue.closed(); })
        .def("fileno", [](const shell& self) { return self.queue.event(); })
        .def("dispatch", [](shell& self) { return running().dispatch(self); });
    module.def("publish", publish, py::arg("msg_type"), py::arg("content"), py::kw_only(),
               py::arg("apart") = py::tuple(), py::arg("metadata") = "{}", py::arg("buffers") = py::tuple(),
               py::arg("parent") = "{}", py::arg("topic") = py::none());
    module.def("write", write, py::arg("name"), py::arg("text"), py::arg("parent"));
    module.def("flush", [] { running().server().flush(); });
    module.def("ask", ask, py::arg("prompt"), py::arg("password"), py::arg("parent"));
    module.def("drain", drain);
    module.def("leave_to_parent", [] { running().server().leave_to_parent(); });
    module.def("connection", connection);
    module.def("session", [] { return running().session(); });
    module.def("interrupt", [](const std::optional<std::string>& id) { return running().interrupt(id.value_or("")); });
}

void register_module() { PyImport_AppendInittab("_cellgate", PyInit__cellgate); }

}  // namespace kernel
