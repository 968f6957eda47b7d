#include "messaging/endpoint.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace messaging {
namespace {

namespace asio = boost::asio;

constexpr std::string_view ipc_scheme = "ipc://";
constexpr std::string_view tcp_scheme = "tcp://";

class owned_descriptor {
  public:
    explicit owned_descriptor(int fd) : fd_(fd) {}
    ~owned_descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    owned_descriptor(const owned_descriptor&) = delete;
    owned_descriptor& operator=(const owned_descriptor&) = delete;
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

  private:
    int fd_;
};

boost::system::error_code last_error() { return {errno, boost::system::system_category()}; }

// Only a peer's own bind() makes a socket's file: a link would lead to whatever its maker chose.
result<int> open_socket_file(const std::string& directory, const std::string& name) {
    owned_descriptor parent(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (parent.get() < 0) return last_error();
    owned_descriptor file(::openat(parent.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) < 0) return last_error();
    if (!S_ISSOCK(status.st_mode)) return errc::unsafe_socket;
    return file.release();
}

sockaddr_un address_of(int descriptor) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    auto path = "/proc/self/fd/" + std::to_string(descriptor);
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

// A port that nobody listens on may be given to ourselves as the near end: TCP then connects the socket to itself, and
// the kernel cannot bind.
bool leads_to_itself(int descriptor) {
    sockaddr_storage near{}, far{};
    socklen_t near_size = sizeof near, far_size = sizeof far;
    return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&near), &near_size) == 0 &&
           ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&far), &far_size) == 0 && near_size == far_size &&
           near.ss_family != AF_UNIX && std::memcmp(&near, &far, near_size) == 0;
}

result<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (ec != std::errc() || end != text.data() + text.size() || port == 0) return errc::socket_failed;
    return port;
}

result<asio::ip::tcp::endpoint> parse_tcp(std::string_view text) {
    auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return errc::socket_failed;
    auto host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    boost::system::error_code ec;
    auto address = asio::ip::make_address(std::string(host), ec);
    auto port = parse_port(text.substr(colon + 1));
    if (ec || !port) return errc::socket_failed;
    return asio::ip::tcp::endpoint(address, *port);
}

}  // namespace

endpoint::endpoint(place where) : where_(std::move(where)) {}

result<endpoint> endpoint::parse(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) return errc::socket_failed;
    if (text.starts_with(tcp_scheme)) {
        auto address = parse_tcp(text.substr(tcp_scheme.size()));
        if (!address) return address.error();
        return endpoint(*address);
    }
    if (!text.starts_with(ipc_scheme)) return errc::socket_failed;
    auto path = text.substr(ipc_scheme.size());
    auto slash = path.rfind('/');
    if (slash == std::string_view::npos || slash + 1 == path.size()) return errc::socket_failed;
    // Without a slash at its end, behind which a link would be followed.
    auto directory = path.substr(0, std::max<std::size_t>(slash, 1));
    return endpoint(ipc_path{std::string(directory), std::string(path.substr(slash + 1))});
}

result<endpoint::attempt> endpoint::connect() const {
    return std::visit([](const auto& where) { return connect_to(where); }, where_);
}

result<endpoint::attempt> endpoint::connect_to(const ipc_path& where) {
    auto opened = open_socket_file(where.directory, where.name);
    if (!opened) return opened.error();
    owned_descriptor file(*opened);
    owned_descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (made.get() < 0) return last_error();
    auto address = address_of(file.get());
    if (::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) return last_error();
    return attempt{made.release(), false};
}

result<endpoint::attempt> endpoint::connect_to(const asio::ip::tcp::endpoint& where) {
    owned_descriptor made(::socket(where.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (made.get() < 0) return last_error();
    int on = 1;
    ::setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(made.get(), where.data(), static_cast<socklen_t>(where.size())) < 0 && errno != EINPROGRESS)
        return last_error();
    return attempt{made.release(), true};
}

result<void> endpoint::finish(int descriptor) {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) < 0) return last_error();
    if (error == 0 && leads_to_itself(descriptor)) error = ECONNREFUSED;
    if (error != 0) return boost::system::error_code(error, boost::system::system_category());
    return {};
}

}  // namespace messaging
