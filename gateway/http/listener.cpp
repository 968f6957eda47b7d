#include "gateway/http/listener.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/ip/v6_only.hpp>
#include <cerrno>
#include <cstring>

namespace gateway::http {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

result<tcp::endpoint> find_endpoint(const executor& ex, const std::string& host, std::uint16_t port) {
    if (host.empty() || host == "*") return tcp::endpoint(tcp::v6(), port);
    error_code ec;
    auto address = asio::ip::make_address(host, ec);
    if (!ec) return tcp::endpoint(address, port);
    tcp::resolver resolver(ex);
    auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, ec);
    if (!ec && !found.empty()) return found.begin()->endpoint();
    return failure{errc::io_error,
                   fmt::format("server.host = \"{}\" is no address of this machine: {}", host, ec.message())};
}

std::string advice(const error_code& ec) {
    if (ec == asio::error::address_in_use) return "end the process that has this port, or choose another server.port";
    if (ec == asio::error::access_denied) return "choose a server.port above 1023, or grant CAP_NET_BIND_SERVICE";
    return "check server.host and server.port";
}

}  // namespace

result<tcp::acceptor> open_listener(executor ex, const std::string& host, std::uint16_t port) {
    auto endpoint = find_endpoint(ex, host, port);
    if (!endpoint) return endpoint.error();
    tcp::acceptor acceptor(ex);
    error_code ec, ignored;
    acceptor.open(endpoint->protocol(), ec);
    if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ignored);
    if (!ec && endpoint->address().is_v6()) acceptor.set_option(asio::ip::v6_only(false), ignored);
    if (!ec) acceptor.bind(*endpoint, ec);
    if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
    if (ec)
        return failure{errc::io_error,
                       fmt::format("cannot listen on {}:{}: {}; {}", host, port, ec.message(), advice(ec))};
    return acceptor;
}

result<tcp::acceptor> open_unix_listener(executor ex, const std::string& path) {
    auto cannot = [&path] {
        return failure{errc::io_error, fmt::format("cannot listen on {}: {}", path, std::strerror(errno))};
    };
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return failure{errc::io_error,
                       fmt::format("the socket path {} is longer than {} bytes: choose a shorter directory", path,
                                   sizeof address.sun_path - 1)};
    path.copy(address.sun_path, path.size());
    int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return cannot();
    tcp::acceptor acceptor(ex, tcp::v4(), fd);  // owns it from here
    (void)::unlink(path.c_str());               // a gateway that was killed leaves its socket behind
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return cannot();
    if (::chmod(path.c_str(), 0666) != 0) return cannot();
    error_code ec;
    acceptor.listen(asio::socket_base::max_listen_connections, ec);
    if (ec) return failure{errc::io_error, fmt::format("cannot listen on {}: {}", path, ec.message())};
    return acceptor;
}

std::string describe_peer(const tcp::socket& of) {
    error_code ec;
    auto endpoint = of.remote_endpoint(ec);
    if (ec) return "unknown";
    if (endpoint.data()->sa_family == AF_UNIX) return "unix";
    auto address = endpoint.address();
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    return address.to_string();
}

}  // namespace gateway::http
