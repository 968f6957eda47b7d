#include "kernel/server/listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "kernel/server/error.hpp"

namespace kernel {
namespace {

using messaging::result;

// libzmq accepts when the socket is readable; without O_NONBLOCK a client that is gone again would stop its thread.
constexpr int socket_flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

boost::system::error_code last_error() {
    if (errno == EADDRINUSE) return bind_errc::in_use;
    if (errno == EADDRNOTAVAIL) return bind_errc::bad_address;
    return {errno, boost::system::system_category()};
}

// ---- ipc

result<sockaddr_un> address_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return bind_errc::path_too_long;
    path.copy(address.sun_path, path.size());
    return address;
}

bool bind_to(const file_descriptor& socket, const sockaddr_un& address) {
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// A file that nobody listens on any more was left by a kernel that was killed.
result<void> remove_leftover(const sockaddr_un& address) {
    struct stat status {};
    if (::lstat(address.sun_path, &status) < 0) return last_error();
    if (!S_ISSOCK(status.st_mode)) return bind_errc::not_a_socket;
    file_descriptor probe(::socket(AF_UNIX, socket_flags, 0));
    if (!probe) return last_error();
    bool is_dead = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 &&
                   errno == ECONNREFUSED;
    if (!is_dead) return bind_errc::in_use;
    if (::unlink(address.sun_path) < 0 && errno != ENOENT) return last_error();
    return {};
}

result<file_descriptor> listen_at(const std::string& path) {
    auto address = address_at(path);
    if (!address) return address.error();
    file_descriptor made(::socket(AF_UNIX, socket_flags, 0));
    if (!made) return last_error();
    if (!bind_to(made, *address)) {
        if (errno != EADDRINUSE) return last_error();
        if (auto removed = remove_leftover(*address); !removed) return removed.error();
        if (!bind_to(made, *address)) return last_error();
    }
    if (::listen(made.get(), SOMAXCONN) < 0) return last_error();
    return made;
}

// ---- tcp

struct free_addresses {
    void operator()(addrinfo* first) const { ::freeaddrinfo(first); }
};

result<int> port_of(const file_descriptor& socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) < 0) return last_error();
    if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

result<file_descriptor> listen_on(const addrinfo& where) {
    file_descriptor made(::socket(where.ai_family, socket_flags, 0));
    if (!made) return last_error();
    // Connections of a kernel that was here before may be in TIME_WAIT.
    int on = 1;
    ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(made.get(), where.ai_addr, where.ai_addrlen) < 0 || ::listen(made.get(), SOMAXCONN) < 0)
        return last_error();
    return made;
}

result<file_descriptor> listen_at(const std::string& ip, int port) {
    addrinfo wanted{};
    wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    auto service = std::to_string(port);
    if (::getaddrinfo(ip == "*" ? nullptr : ip.c_str(), service.c_str(), &wanted, &found) != 0)
        return bind_errc::bad_address;
    std::unique_ptr<addrinfo, free_addresses> first(found);
    return listen_on(*first);
}

}  // namespace

listener::listener(file_descriptor socket, std::string endpoint, std::string path)
    : socket_(std::move(socket)), endpoint_(std::move(endpoint)), path_(std::move(path)) {}

listener::~listener() {
    if (!path_.empty()) ::unlink(path_.c_str());
}

result<listener> listener::make(const messaging::connection_info& where, int& port) {
    bool is_ipc = where.transport == "ipc";
    std::string path = is_ipc ? where.ip + "-" + std::to_string(port) : std::string();
    auto made = is_ipc ? listen_at(path) : listen_at(where.ip, port);
    if (!made) return made.error();
    if (!is_ipc && port == 0) {
        auto given = port_of(*made);
        if (!given) return given.error();
        port = *given;
    }
    return listener(std::move(*made), where.endpoint(port), std::move(path));
}

}  // namespace kernel
