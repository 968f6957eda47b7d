#include "kernel/launcher/channel.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kernel {
namespace {

// Half of what a socket's buffer holds by default (212,992), so that a packet always fits.
constexpr std::size_t packet_limit = 64 << 10;

// The packet that stands for a text in a memfd, which is its first descriptor.
constexpr std::string_view elsewhere = "+";

union control_buffer {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * (1 + channel_file_limit))];
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

channel_state send_packet(int socket, std::string_view text, std::span<const int> files, int flags) {
    iovec data{const_cast<char*>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    control_buffer control{};
    if (!files.empty()) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(files.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(files.size_bytes());
        std::memcpy(CMSG_DATA(header), files.data(), files.size_bytes());
    }
    for (;;) {
        if (sendmsg(socket, &message, MSG_NOSIGNAL | flags) >= 0) return channel_state::ok;
        if (errno != EINTR) return state_of_errno();
    }
}

std::vector<file_descriptor> attached_files(msghdr& message) {
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return {};
    std::vector<file_descriptor> files;
    for (std::size_t at = 0; CMSG_LEN(at) < header->cmsg_len; at += sizeof(int)) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(header) + at, sizeof number);
        files.emplace_back(number);
    }
    return files;
}

received_text read_whole(int file) {
    struct stat status {};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return {channel_state::closed, {}, {}};
    if (static_cast<std::size_t>(status.st_size) > channel_text_limit) return {channel_state::too_large, {}, {}};
    std::string text(status.st_size, '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        ssize_t size = pread(file, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return {};
        done += size;
    }
    return {channel_state::ok, std::move(text), {}};
}

}  // namespace

channel_state send_text(int socket, std::string_view text, bool wait, std::span<const int> files) {
    const int flags = wait ? 0 : MSG_DONTWAIT;
    if (text.size() > channel_text_limit || files.size() > channel_file_limit) return channel_state::too_large;
    if (!text.empty() && text.size() <= packet_limit) return send_packet(socket, text, files, flags);
    file_descriptor file = make_memfd(text);
    if (!file) return channel_state::no_memory;
    std::vector<int> all = {file.get()};
    all.insert(all.end(), files.begin(), files.end());
    return send_packet(socket, elsewhere, all, flags);
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
    if (size < 0) return {state_of_errno(), {}, {}};
    std::vector<file_descriptor> files = attached_files(message);
    if (size == 0) return {};  // the peer has gone: an empty packet is never sent
    text.resize(size);
    if (files.empty() || text != elsewhere) return {channel_state::ok, std::move(text), std::move(files)};
    received_text whole = read_whole(files.front().get());
    files.erase(files.begin());
    whole.files = std::move(files);
    return whole;
}

}  // namespace kernel
