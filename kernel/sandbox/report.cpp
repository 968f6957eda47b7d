#include "kernel/sandbox/report.hpp"

#include <sys/socket.h>

#include <cstring>

namespace kernel {
namespace {

constexpr std::size_t text_limit = 4096;

struct packet {
    report_kind kind;
    std::int32_t value;
    char text[text_limit];
};
constexpr std::size_t header_size = offsetof(packet, text);

std::int32_t sender_of(msghdr& message) {
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_CREDENTIALS) continue;
        ucred credentials{};
        std::memcpy(&credentials, CMSG_DATA(each), sizeof credentials);
        return credentials.pid;
    }
    return 0;
}

bool send_packet(int socket, const report& what, int flags) {
    packet out{what.kind, what.value, {}};
    std::size_t size = std::min(what.text.size(), text_limit);
    std::memcpy(out.text, what.text.data(), size);
    return send(socket, &out, header_size + size, MSG_NOSIGNAL | flags) >= 0;
}

}  // namespace

bool send_report(int socket, const report& what) { return send_packet(socket, what, 0); }

bool try_send_report(int socket, const report& what) { return send_packet(socket, what, MSG_DONTWAIT); }

std::optional<report> receive_report(int socket) {
    packet in{};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))] = {};
    iovec data{&in, sizeof in};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < static_cast<ssize_t>(header_size)) return std::nullopt;
    return report{in.kind, in.value, std::string(in.text, size - header_size), sender_of(message)};
}

}  // namespace kernel
