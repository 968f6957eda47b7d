#include "gateway/kernels/kernel_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/base/ids.hpp"
#include "gateway/base/log.hpp"
#include "gateway/kernels/launch_command.hpp"
#include "gateway/kernels/tcp_ports.hpp"
#include "mounts/remove_tree.hpp"

namespace gateway::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff tail_bytes = 4096;  // enough for a Python traceback, short enough for an error message
constexpr std::ptrdiff_t tail_lines = 20;

failure io_failure(const std::string& what, int error) {
    return {errc::kernel_start_failed, what + ": " + std::strerror(error)};
}

// Only ever a new file: the directory is fresh, and nothing that appeared there meanwhile is followed.
result<void> write_new_file(const std::string& path, const std::string& text) {
    int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return io_failure("cannot make " + path, errno);
    auto written = ::write(fd, text.data(), text.size());
    auto error = written < 0 ? errno : ENOSPC;
    ::close(fd);
    if (written != static_cast<ssize_t>(text.size())) return io_failure("cannot write " + path, error);
    return {};
}

void use_ipc(messaging::connection_info& which, const std::string& directory) {
    which.transport = "ipc";
    which.ip = directory + "/k";
}

result<void> use_tcp(messaging::connection_info& which) {
    auto ports = find_tcp_ports();
    if (!ports) return ports.error();
    which.transport = "tcp";
    which.ip = "127.0.0.1";
    which.shell_port = (*ports)[0];
    which.iopub_port = (*ports)[1];
    which.stdin_port = (*ports)[2];
    which.control_port = (*ports)[3];
    which.hb_port = (*ports)[4];
    return {};
}

// From where ipc sockets would be inside, by the numbers that those have, to the ports of `kernel`.
std::vector<::kernel::tcp_relay> relays_to(const messaging::connection_info& kernel) {
    messaging::connection_info ipc;
    use_ipc(ipc, box_runtime);
    auto relay = [&](int number, int port) { return ::kernel::tcp_relay{ipc.ip + "-" + std::to_string(number), port}; };
    return {relay(ipc.shell_port, kernel.shell_port), relay(ipc.iopub_port, kernel.iopub_port),
            relay(ipc.stdin_port, kernel.stdin_port), relay(ipc.control_port, kernel.control_port),
            relay(ipc.hb_port, kernel.hb_port)};
}

std::string valid_utf8(const std::string& text) {
    using json = nlohmann::json;
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string last_lines(const std::string& text) {
    auto from = text.end();
    for (std::ptrdiff_t lines = 0; from != text.begin(); --from)
        if (*(from - 1) == '\n' && from != text.end() && ++lines >= tail_lines) break;
    return std::string(from, text.end());
}

}  // namespace

kernel_files::kernel_files(const std::string& runtime_dir, const std::string& id)
    : runtime_dir_(runtime_dir), id_(id), key_(random_hex(32)) {}

kernel_files::~kernel_files() { remove(); }

void kernel_files::remove() {
    if (directory_.empty()) return;
    const auto path = std::exchange(directory_, {});
    if (auto removed = mounts::remove_tree(path); !removed)
        log::warning("cannot remove the kernel's directory {}: {}", path, removed.error().text);
}

result<void> kernel_files::make_directories() {
    // Ids may be chosen by clients: two may begin alike.
    for (const auto& name : {id_.substr(0, 8), id_.substr(0, 8) + random_hex(4)}) {
        auto path = runtime_dir_ + "/" + name;
        if (::mkdir(path.c_str(), 0700) != 0) {
            if (errno == EEXIST) continue;
            return io_failure("cannot make the kernel's directory " + path, errno);
        }
        directory_ = path;
        if (::mkdir(box_directory().c_str(), 0700) != 0) return io_failure("cannot make " + box_directory(), errno);
        return {};
    }
    return io_failure("cannot make a directory for kernel " + id_ + " in " + runtime_dir_, EEXIST);
}

result<messaging::connection_info> kernel_files::renew(transport over, const std::string& kernel_name,
                                                       bool own_network) {
    remove();
    relays_.clear();
    auto made = make_directories();
    if (!made) return made.error();
    messaging::connection_info inside;
    inside.key = key_;
    inside.kernel_name = kernel_name;
    auto outside = inside;
    if (over == transport::ipc) {
        use_ipc(inside, box_runtime);
    } else if (auto chosen = use_tcp(inside); !chosen) {
        return chosen.error();
    }
    if (over == transport::tcp && own_network) relays_ = relays_to(inside);
    // Outside the path may be longer than a socket's address: the gateway connects through its directory.
    if (over == transport::ipc || own_network)
        use_ipc(outside, box_directory());
    else
        outside = inside;
    connection_file_ = directory_ + "/connection.json";
    auto written = write_new_file(box_directory() + "/connection.json", messaging::to_json(inside));
    if (written) written = write_new_file(connection_file_, messaging::to_json(outside));
    if (!written) return written.error();
    return outside;
}

std::string kernel_files::output_tail() const {
    std::ifstream file(output_file(), std::ios::binary | std::ios::ate);
    if (!file) return {};
    auto size = static_cast<std::streamoff>(file.tellg());
    auto length = std::min(size, tail_bytes);
    std::string text(static_cast<std::size_t>(length), '\0');
    file.seekg(size - length);
    file.read(text.data(), length);
    std::erase_if(text, [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; });
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return valid_utf8(last_lines(text));
}

}  // namespace gateway::kernels
