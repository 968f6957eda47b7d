#include "kernel/server/captured_pipes.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "messaging/utf8.hpp"

namespace kernel {

captured_pipes::captured_pipes(writer write) : write_(std::move(write)) {}

void captured_pipes::add(int pipe, output_stream which) {
    ::fcntl(pipe, F_SETFL, ::fcntl(pipe, F_GETFL) | O_NONBLOCK);
    std::lock_guard held(mutex_);
    pipes_.push_back({pipe, which, {}});
}

void captured_pipes::set_parent(parent_text parent) {
    std::lock_guard held(mutex_);
    parent_ = std::move(parent);
}

void captured_pipes::drain() {
    std::lock_guard held(mutex_);
    for (auto& each : pipes_)
        if (each.is_open) drain(each);
}

std::vector<int> captured_pipes::descriptors() const {
    std::lock_guard held(mutex_);
    std::vector<int> open;
    for (const auto& each : pipes_)
        if (each.is_open) open.push_back(each.descriptor);
    return open;
}

void captured_pipes::drain(captured_pipe& from) {
    std::array<char, 64 << 10> buffer;  // what a pipe holds
    int waiting = 0;
    ::ioctl(from.descriptor, FIONREAD, &waiting);
    do {
        // At least one byte, because only a read tells that the last writer has gone.
        auto wanted = std::clamp<std::size_t>(static_cast<std::size_t>(waiting), 1, buffer.size());
        auto got = ::read(from.descriptor, buffer.data(), wanted);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            from.is_open = false;
            if (!from.half_character.empty()) write_(from.which, std::exchange(from.half_character, {}), parent_);
            return;
        }
        pass_on(from, {buffer.data(), static_cast<std::size_t>(got)});
        waiting -= static_cast<int>(got);
    } while (waiting > 0);
}

void captured_pipes::pass_on(captured_pipe& from, std::string_view text) {
    // Kept here, not with the stream: what others write to it in between is not this character's rest.
    std::string joined;
    if (!from.half_character.empty()) {
        joined = std::exchange(from.half_character, {});
        joined += text;
        text = joined;
    }
    auto half = messaging::unfinished_suffix(text);
    from.half_character = text.substr(text.size() - half);
    text.remove_suffix(half);
    if (!text.empty()) write_(from.which, text, parent_);
}

}  // namespace kernel
