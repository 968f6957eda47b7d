#include "kernel/interpreter/python_forkable.hpp"

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "kernel/interpreter/python_runtime.hpp"
#include "kernel/interpreter/python_text.hpp"
#include "kernel/interpreter/run_kernel.hpp"
#include "kernel/server/kernel_server.hpp"

namespace kernel {
namespace {

namespace py = pybind11;

std::vector<std::string> import_places() {
    std::vector<std::string> all;
    for (auto each : py::module_::import("sys").attr("path")) all.push_back(text_of(each));
    return all;
}

void become_child(const child_options& what) {
    py::dict env;
    for (const auto& [name, value] : what.env) env[py::bytes(name)] = py::bytes(value);
    py::dict given;
    given["env"] = env;
    given["working_dir"] = py::bytes(what.working_dir);
    try {
        py::module_::import("cellgate_shell.kernel").attr("after_fork")(given);
    } catch (const py::error_already_set& error) {
        throw std::runtime_error(std::string("the forked interpreter could not be prepared: ") + error.what());
    }
}

}  // namespace

void python_forkable::prepare() {
    start_python({given_.prefix, given_.package_dir});
    preload_python(given_.preload);
    warm_up_sockets();
    places_ = import_places();
    places_.push_back(std::filesystem::read_symlink("/proc/self/exe"));
    times_ = change_times_of(places_);
}

pid_t python_forkable::fork() {
    PyOS_BeforeFork();
    pid_t child = ::fork();
    if (child == 0)
        PyOS_AfterFork_Child();
    else
        PyOS_AfterFork_Parent();
    return child;
}

int python_forkable::run_child(const child_options& what) {
    options wanted;
    int status = 0;
    if (!parse_options({what.argv.begin() + 1, what.argv.end()}, wanted, status)) return status;
    become_child(what);
    run_kernel(wanted.connection_file, what.bound);
}

}  // namespace kernel
