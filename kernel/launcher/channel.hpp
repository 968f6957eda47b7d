// Texts over a SOCK_SEQPACKET socket, one a message, of any size: what does not fit a packet travels as a memfd. A few
// descriptors may come with a text. Either end; the socket belongs to the caller.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/launcher/file_descriptor.hpp"

namespace kernel {

enum class channel_state {
    ok,
    would_block,
    closed,
    too_large,
    no_memory,  // or no descriptor: the text stays with the caller, who may try again
};

constexpr std::size_t channel_text_limit = 4 << 20;
constexpr std::size_t channel_file_limit = 7;

struct received_text {
    channel_state state = channel_state::closed;
    std::string text;
    std::vector<file_descriptor> files;
};

// `wait` as the name says; without it would_block means that nothing was done.
// `files` are copied, at most channel_file_limit; a text that comes with some is not "+".
channel_state send_text(int socket, std::string_view text, bool wait, std::span<const int> files = {});
received_text receive_text(int socket, bool wait);

}  // namespace kernel
