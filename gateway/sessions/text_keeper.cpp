#include "gateway/sessions/text_keeper.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gateway/base/log.hpp"
#include "mounts/confined.hpp"

namespace gateway::sessions {
namespace {

constexpr const char* output_directory = ".composio/output";

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// The bytes of `text` that hold its first `characters` code points; counts all of them into `total`.
std::size_t bytes_of(std::string_view text, std::size_t characters, std::size_t& total) {
    std::size_t cut = text.size();
    total = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!begins_character(text[at])) continue;
        if (total == characters) cut = at;
        ++total;
    }
    return cut;
}

}  // namespace

text_keeper::text_keeper(std::string files_directory, std::string name, text_limits limits)
    : files_directory_(std::move(files_directory)), name_(std::move(name)), limits_(limits) {}

text_keeper::~text_keeper() { finish(); }

void text_keeper::append(kept_text& kept, std::string_view text) {
    const auto room = limits_.characters - std::min(limits_.characters, kept.characters);
    std::size_t count = 0;
    const auto fits = bytes_of(text, room, count);
    const bool was_whole = kept.file.empty();
    kept.characters += count;
    if (was_whole && kept.characters > limits_.characters) {
        kept.file = fmt::format("/mnt/files/{}/{}", output_directory, name_);
        write(kept.head);
    }
    kept.head.append(text.substr(0, fits));
    if (!kept.file.empty()) write(text);
    if (broken_) kept.file.clear();
}

bool text_keeper::open() {
    if (fd_ >= 0) return true;
    if (broken_) return false;
    if (mounts::make_directories_beneath(files_directory_, output_directory) == 0)
        fd_ = mounts::open_beneath(files_directory_, fmt::format("{}/{}", output_directory, name_),
                                   O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0644);
    if (fd_ < 0) {
        broken_ = true;
        log::warning("the output file {} cannot be opened: {}", name_, std::strerror(errno));
    }
    return fd_ >= 0;
}

void text_keeper::write(std::string_view text) {
    if (cut_ || !open()) return;
    if (written_ + text.size() > limits_.file_bytes) {
        text = text.substr(0, limits_.file_bytes - written_);
        cut_ = true;
    }
    written_ += text.size();
    while (!text.empty()) {
        const auto done = ::write(fd_, text.data(), text.size());
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            log::warning("the output file {} is incomplete: {}", name_, std::strerror(errno));
            cut_ = true;
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(done));
    }
}

void text_keeper::finish() {
    if (fd_ < 0) return;
    if (cut_) {
        const auto note = fmt::format("\n[cellgate: cut here at {} bytes, sessions.text_file_max_bytes is {}]\n",
                                      written_, limits_.file_bytes);
        (void)!::write(fd_, note.data(), note.size());
    }
    ::close(fd_);
    fd_ = -1;
}

}  // namespace gateway::sessions
