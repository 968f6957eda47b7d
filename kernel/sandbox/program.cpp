#include "kernel/sandbox/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/process_state.hpp"
#include "kernel/sandbox/report.hpp"

namespace kernel {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& each : texts) all.push_back(each.data());
    all.push_back(nullptr);
    return all;
}

std::vector<std::string> assignments(const std::map<std::string, std::string>& env) {
    std::vector<std::string> all;
    for (const auto& [name, value] : env) all.push_back(name + "=" + value);
    return all;
}

bool is_program(const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && access(path.c_str(), X_OK) == 0;
}

// Not execvp(): it takes the PATH of this process, and has a shell read what is no program.
std::string find_program(const std::string& name, const std::map<std::string, std::string>& env) {
    if (name.find('/') != std::string::npos) return name;
    auto given = env.find("PATH");
    const std::string path = given == env.end() ? "" : given->second;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t colon = std::min(path.find(':', at), path.size());
        const std::string candidate = path.substr(at, colon - at) + "/" + name;
        if (colon > at && is_program(candidate)) return candidate;
        at = colon + 1;
    }
    throw box_error("start " + name + ": no such program in PATH (" + path + ")");
}

[[noreturn]] void throw_not_started(const std::string& path, int number) {
    if (number == E2BIG)
        throw box_error("start " + path + ": its arguments and environment are too large: shorten them");
    if (number == ENOENT && access(path.c_str(), F_OK) == 0)
        throw box_error("start " + path + ": its interpreter (#! line or loader) does not exist inside the box");
    if (number == ENOENT || number == ENOTDIR)
        throw box_error("start " + path +
                        ": no such program inside the box: install it under /usr or /opt, or mount its directory");
    if (number == EACCES) throw box_error("start " + path + ": not an executable file that this user may run");
    if (number == ENOEXEC) throw box_error("start " + path + ": not a program: it has no #! line and is no ELF file");
    throw_errno("start " + path, number);
}

[[noreturn]] void execute_as(const std::string& path, std::vector<std::string>& argv,
                             const std::map<std::string, std::string>& env) {
    std::vector<std::string> all = assignments(env);
    execve(path.c_str(), pointers(argv).data(), pointers(all).data());
    throw_not_started(path, errno);
}

}  // namespace

void begin_session(const std::string& working_dir, int report_socket) {
    require(setsid(), "start a session");
    report forked;
    forked.kind = report_kind::kernel_forked;
    forked.value = getpid();
    if (!send_report(report_socket, forked)) throw_errno("tell the launcher");
    if (chdir(working_dir.c_str()) != 0)
        throw box_error("working directory " + working_dir +
                        ": does not exist or may not be entered inside the box: mount it, or choose another");
    umask(022);
    set_limits();
}

void run_program(const launch_request& what, int report_socket) {
    begin_session(what.working_dir, report_socket);
    reset_signals();
    execute(what.argv, what.env);
}

void execute(std::vector<std::string> argv, const std::map<std::string, std::string>& env) {
    execute_as(argv.front(), argv, env);
}

void find_and_execute(std::vector<std::string> argv, const std::map<std::string, std::string>& env) {
    execute_as(find_program(argv.front(), env), argv, env);
}

}  // namespace kernel
