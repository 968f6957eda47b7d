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

// The one part of its kind that comes with a message, if it does.
template <class Part>
std::optional<Part> find_part(msghdr& message, int type) {
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != type) continue;
        Part found{};
        std::memcpy(&found, CMSG_DATA(each), sizeof found);
        return found;
    }
    return std::nullopt;
}

void add_file(msghdr& message, int file) {
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(part), &file, sizeof file);
}

bool send_packet(int socket, const report& what, int flags, int file = -1) {
    packet out{what.kind, what.value, {}};
    std::size_t size = std::min(what.text.size(), text_limit);
    std::memcpy(out.text, what.text.data(), size);
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
    iovec data{&out, header_size + size};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (file >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        add_file(message, file);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | flags) >= 0;
}

}  // namespace

bool send_report(int socket, const report& what) { return send_packet(socket, what, 0); }

bool send_report(int socket, const report& what, const file_descriptor& file) {
    return send_packet(socket, what, 0, file.get());
}

bool try_send_report(int socket, const report& what) { return send_packet(socket, what, MSG_DONTWAIT); }

std::optional<report> receive_report(int socket) {
    packet in{};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int))] = {};
    iovec data{&in, sizeof in};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < static_cast<ssize_t>(header_size)) return std::nullopt;
    file_descriptor file(find_part<int>(message, SCM_RIGHTS).value_or(-1));
    const ucred sender = find_part<ucred>(message, SCM_CREDENTIALS).value_or(ucred{});
    return report{in.kind, in.value, std::string(in.text, size - header_size), sender.pid, std::move(file)};
}

}  // namespace kernel
