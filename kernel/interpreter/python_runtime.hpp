// The embedded interpreter: started once in a process, never finalised (a kernel leaves with _exit). Main thread.
#pragma once

#include <string>
#include <vector>

namespace kernel {

struct python_settings {
    std::string prefix = "/usr";  // of an environment of the Python that this program is linked with: /usr, or a venv
    std::string package_dir;      // holds cellgate_shell/; the last entry of sys.path
};

// Afterwards the calling thread holds the interpreter's lock. Throws std::runtime_error that says what to do when the
// environment is none, or is for another Python.
void start_python(const python_settings& settings);

// What zygotes do before they serve: the shell and the named modules are there, and the garbage collector leaves them
// alone. A module that cannot be imported is named on stderr and left out.
void preload_python(const std::vector<std::string>& modules);

}  // namespace kernel
