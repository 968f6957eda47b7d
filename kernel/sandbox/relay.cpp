#include "kernel/sandbox/relay.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <list>
#include <string>
#include <utility>

#include "kernel/launcher/file_descriptor.hpp"
#include "kernel/sandbox/box_error.hpp"
#include "kernel/sandbox/box_network.hpp"

namespace kernel {
namespace {

constexpr std::size_t buffer_size = 64 << 10;

struct entrance {
    file_descriptor listener;
    int port = 0;
};

// Bytes on their way from one socket to another. Reads again when all of it was taken.
struct one_way {
    int from = -1;
    int to = -1;
    std::string pending{};
    bool ended = false;
    bool told = false;  // `to` knows that nothing more comes

    bool reads() const { return !ended && pending.empty(); }
    bool writes() const { return !pending.empty(); }
    bool advance();
};

bool would_block() { return errno == EAGAIN || errno == EINTR || errno == EINPROGRESS || errno == ENOTCONN; }

// False when either socket has failed.
bool one_way::advance() {
    if (reads()) {
        pending.resize(buffer_size);
        const ssize_t size = recv(from, pending.data(), buffer_size, MSG_DONTWAIT);
        pending.resize(size > 0 ? size : 0);
        if (size < 0 && !would_block()) return false;
        ended = size == 0;
    }
    if (writes()) {
        const ssize_t size = send(to, pending.data(), pending.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (size < 0 && !would_block()) return false;
        if (size > 0) pending.erase(0, size);
    }
    if (ended && pending.empty() && !std::exchange(told, true)) shutdown(to, SHUT_WR);
    return true;
}

struct connection {
    file_descriptor client;
    file_descriptor server;
    one_way in;
    one_way out;
};

class relay {
  public:
    explicit relay(std::vector<entrance> entrances) : entrances_(std::move(entrances)) {}
    [[noreturn]] void run();

  private:
    std::vector<pollfd> what_to_wait_for() const;
    void accept(const entrance& at);

    std::vector<entrance> entrances_;
    std::list<connection> connections_;
};

short interest(const one_way& reading, const one_way& writing) {
    return static_cast<short>((reading.reads() ? POLLIN : 0) | (writing.writes() ? POLLOUT : 0));
}

// A socket of which nothing is wanted now is left out: its hang-up would be told again and again.
pollfd wait_on(int socket, short events) { return {events != 0 ? socket : -1, events, 0}; }

std::vector<pollfd> relay::what_to_wait_for() const {
    std::vector<pollfd> all;
    for (const entrance& each : entrances_) all.push_back({each.listener.get(), POLLIN, 0});
    for (const connection& each : connections_) {
        all.push_back(wait_on(each.client.get(), interest(each.in, each.out)));
        all.push_back(wait_on(each.server.get(), interest(each.out, each.in)));
    }
    return all;
}

// A port at which nobody listens yet ends the connection: the gateway comes again.
void relay::accept(const entrance& at) {
    file_descriptor client(accept4(at.listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client) return;
    file_descriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const sockaddr_in where = loopback(at.port);
    const bool refused = connect(server.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0;
    if (refused && errno != EINPROGRESS) return;
    one_way in{client.get(), server.get()};
    one_way out{server.get(), client.get()};
    connections_.push_back({std::move(client), std::move(server), std::move(in), std::move(out)});
}

void relay::run() {
    for (;;) {
        std::vector<pollfd> waited = what_to_wait_for();
        if (poll(waited.data(), waited.size(), -1) < 0) continue;
        connections_.remove_if([](connection& each) {
            return !each.in.advance() || !each.out.advance() || (each.in.told && each.out.told);
        });
        for (std::size_t at = 0; at < entrances_.size(); ++at)
            if (waited[at].revents != 0) accept(entrances_[at]);
    }
}

file_descriptor listen_at(const std::string& path) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    if (path.size() >= sizeof where.sun_path) throw box_error("relay socket " + path + ": its path is too long");
    std::memcpy(where.sun_path, path.data(), path.size());
    file_descriptor made(require(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "make a socket"));
    require(bind(made.get(), reinterpret_cast<sockaddr*>(&where), sizeof where), "bind " + path);
    require(listen(made.get(), SOMAXCONN), "listen on " + path);
    return made;
}

}  // namespace

void start_relay(const std::vector<tcp_relay>& what) {
    std::vector<entrance> entrances;
    for (const tcp_relay& each : what) entrances.push_back({listen_at(each.socket), each.port});
    if (require(fork(), "fork the relay") > 0) return;
    prctl(PR_SET_NAME, "cellgate-relay");
    relay(std::move(entrances)).run();
}

}  // namespace kernel
