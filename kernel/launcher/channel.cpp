#include "kernel/launcher/channel.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {
namespace {

// Half of what a socket's buffer holds by default (212,992), so that a packet always fits.
constexpr std::size_t packet_limit = 64 << 10;

union control_buffer {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

channel_state state_of_errno() {
    return errno == EAGAIN || errno == EWOULDBLOCK ? channel_state::would_block : channel_state::closed;
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        ssize_t size = write(file, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

file_descriptor make_memfd(std::string_view text) {
    file_descriptor file(memfd_create("cellgate-message", MFD_CLOEXEC));
    if (file && !write_all(file.get(), text)) file.reset();
    return file;
}

channel_state send_packet(int socket, std::string_view text, int attached, int flags) {
    iovec data{const_cast<char*>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    control_buffer control{};
    if (attached >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control;
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof attached);
        std::memcpy(CMSG_DATA(header), &attached, sizeof attached);
    }
    for (;;) {
        if (sendmsg(socket, &message, MSG_NOSIGNAL | flags) >= 0) return channel_state::ok;
        if (errno != EINTR) return state_of_errno();
    }
}

file_descriptor attached_file(msghdr& message) {
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return {};
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof number);
    return file_descriptor(number);
}

received_text read_whole(int file) {
    struct stat status {};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return {};
    if (static_cast<std::size_t>(status.st_size) > channel_text_limit) return {channel_state::too_large, {}};
    std::string text(status.st_size, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        ssize_t size = pread(file, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return {};
        done += size;
    }
    return {channel_state::ok, std::move(text)};
}

}  // namespace

channel_state send_text(int socket, std::string_view text, bool wait) {
    const int flags = wait ? 0 : MSG_DONTWAIT;
    if (text.size() > channel_text_limit) return channel_state::too_large;
    if (!text.empty() && text.size() <= packet_limit) return send_packet(socket, text, -1, flags);
    file_descriptor file = make_memfd(text);
    if (!file) return channel_state::no_memory;
    return send_packet(socket, "+", file.get(), flags);
}

received_text receive_text(int socket, bool wait) {
    std::string text(packet_limit, '\0');
    iovec data{text.data(), text.size()};
    control_buffer control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control;
    ssize_t size = -1;
    do size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    while (size < 0 && errno == EINTR);
    if (size < 0) return {state_of_errno(), {}};
    if (size == 0) return {};  // the peer has gone: an empty packet is never sent
    if (file_descriptor file = attached_file(message)) return read_whole(file.get());
    text.resize(size);
    return {channel_state::ok, std::move(text)};
}

}  // namespace kernel
