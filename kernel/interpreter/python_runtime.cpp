#include "kernel/interpreter/python_runtime.hpp"

#include <pybind11/embed.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "kernel/interpreter/large_blocks.hpp"
#include "kernel/interpreter/module.hpp"

namespace kernel {
namespace {

namespace py = pybind11;

constexpr const char* version = PY_VERSION;

std::string interpreter_of(const std::string& prefix) {
    for (const char* name : {"/bin/python3", "/bin/python"})
        if (access((prefix + name).c_str(), X_OK) == 0) return prefix + name;
    throw std::runtime_error(
        prefix + " is no Python environment: " + prefix +
        "/bin/python3 is missing; make one with /usr/bin/python3 -m venv, or name another --prefix");
}

void require(const PyStatus& status, const std::string& what) {
    if (PyStatus_Exception(status))
        throw std::runtime_error(what + ": " + (status.err_msg ? status.err_msg : "failed"));
}

void set(PyConfig& config, wchar_t** field, const std::string& value) {
    require(PyConfig_SetBytesString(&config, field, value.c_str()), "configure Python");
}

// As `prefix`/bin/python3 would be: its site-packages, and sys.executable for programs that start Python again.
void initialise(const std::string& prefix) {
    prefer_huge_blocks();
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.parse_argv = 0;
    auto program = interpreter_of(prefix);
    set(config, &config.program_name, program);
    set(config, &config.executable, program);
    wchar_t name[] = L"cellgate-kernel";
    wchar_t* arguments[] = {name};
    require(PyConfig_SetArgv(&config, 1, arguments), "configure Python");
    auto status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    require(status, "start Python " + std::string(version) + " in " + prefix);
}

void check_version(const std::string& prefix) {
    auto library = py::module_::import("sysconfig").attr("get_path")("purelib").cast<std::string>();
    if (access(library.c_str(), R_OK) != 0)
        throw std::runtime_error(prefix + " is an environment of another Python than " + version + " (" + library +
                                 " is missing): make it again with /usr/bin/python3 -m venv");
}

void preload_each(const std::vector<std::string>& modules) {
    for (const auto& each : modules) {
        try {
            py::module_::import(each.c_str());
        } catch (const py::error_already_set& error) {
            std::fprintf(stderr, "cellgate-kernel: cannot preload %s: %s\n", each.c_str(), error.what());
        }
    }
}

}  // namespace

void start_python(const python_settings& settings) {
    register_module();
    initialise(settings.prefix);
    try {
        check_version(settings.prefix);
        py::module_::import("sys").attr("path").attr("append")(settings.package_dir);
    } catch (const py::error_already_set& error) {
        throw std::runtime_error(std::string("prepare Python: ") + error.what());
    }
}

void preload_python(const std::vector<std::string>& modules) {
    try {
        // First, since libraries look for a shell when they are imported: ipywidgets, matplotlib.
        auto kernel = py::module_::import("cellgate_shell.kernel");
        kernel.attr("make_shell")();
        preload_each(modules);
        if (!modules.empty()) kernel.attr("warm_up")();
        auto collector = py::module_::import("gc");
        collector.attr("collect")();
        collector.attr("freeze")();
    } catch (const py::error_already_set& error) {
        throw std::runtime_error(std::string("cannot make the shell: ") + error.what());
    }
}

}  // namespace kernel
