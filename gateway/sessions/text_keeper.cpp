#include "gateway/sessions/text_keeper.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gateway/base/log.hpp"
#include "messaging/utf8.hpp"
#include "mounts/confined.hpp"

namespace gateway::sessions {
namespace {

constexpr const char* output_directory = ".composio/output";

// The bytes of `text` that hold its first `characters` code points; counts all of them into `total`.
std::size_t bytes_of(std::string_view text, std::size_t characters, std::size_t& total) {
    std::size_t cut = text.size();
    total = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!messaging::begins_character(text[at])) continue;
        if (total == characters) cut = at;
        ++total;
    }
    return cut;
}

// How many lines begin in `text`; `is_start`: whether its first byte begins one, and then that of what follows.
std::size_t lines_begun(std::string_view text, bool& is_start) {
    if (text.empty()) return 0;
    const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    const auto begun = breaks + (is_start ? 1 : 0) - (text.back() == '\n' ? 1 : 0);
    is_start = text.back() == '\n';
    return begun;
}

// How many of the bytes could be written; errno says why not all.
std::size_t write_some(int fd, std::string_view text) {
    std::size_t all = 0;
    while (all < text.size()) {
        const auto done = ::write(fd, text.data() + all, text.size() - all);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) break;
        all += static_cast<std::size_t>(done);
    }
    return all;
}

// The last place up to `at` where a character begins.
std::uint64_t character_at(int fd, std::uint64_t at) {
    char byte = 0;
    while (at > 0 && ::pread(fd, &byte, 1, static_cast<off_t>(at)) == 1 && !messaging::begins_character(byte)) --at;
    return at;
}

}  // namespace

std::string cut_note(std::string_view missing, std::string_view why) {
    return fmt::format("\n[cellgate: cut here, {}: {}]\n", missing, why);
}

text_keeper::text_keeper(std::string files_directory, std::string name, text_limits limits)
    : files_directory_(std::move(files_directory)), name_(std::move(name)), limits_(limits) {}

text_keeper::~text_keeper() { finish(); }

void text_keeper::append(kept_text& kept, std::string_view text) {
    const auto room = limits_.characters - std::min(limits_.characters, kept.characters);
    std::size_t count = 0;
    const auto fits = bytes_of(text, room, count);
    const bool was_whole = kept.characters <= limits_.characters;
    kept.characters += count;
    kept.lines += lines_begun(text, ends_with_line_);
    if (kept.characters <= limits_.characters) {
        kept.head.append(text);
        return;
    }
    if (was_whole) write(kept.head);
    kept.head.append(text.substr(0, fits));
    write(text);
    kept.file = written_ > 0 ? seen_as() : std::string();
    if (!lost_ || std::exchange(told_, true)) return;
    kept.head += written_ == 0 ? cut_note(fmt::format("the rest is lost: {} cannot be written", seen_as()), *lost_)
                               : cut_note(fmt::format("{} has only the first {} bytes", seen_as(), written_), *lost_);
}

std::string text_keeper::seen_as() const { return fmt::format("/mnt/files/{}/{}", output_directory, name_); }

// What is there is the session's to change: a file that was begun is gone on with, not made anew, and what is no file
// (a FIFO would make us wait) is refused.
bool text_keeper::open() {
    if (fd_ >= 0) return true;
    const auto made = written_ == 0 ? O_CREAT : 0;
    if (made == 0 || mounts::make_directories_beneath(files_directory_, output_directory) == 0)
        fd_ =
            mounts::open_beneath(files_directory_, fmt::format("{}/{}", output_directory, name_),
                                 static_cast<std::uint64_t>(O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | made), 0644);
    if (fd_ < 0) return fail(std::strerror(errno)), false;
    struct stat found {};
    if (::fstat(fd_, &found) == 0 && S_ISREG(found.st_mode)) return true;
    ::close(fd_);
    fd_ = -1;
    return fail("it is not a file"), false;
}

void text_keeper::write(std::string_view text) {
    if (lost_ || text.empty() || !open()) return;
    const auto fits = messaging::first_bytes(text, limits_.file_bytes - written_);
    const auto done = write_some(fd_, fits);
    const int why = errno;
    written_ += done;
    if (done < fits.size()) return fail(std::strerror(why));
    if (fits.size() < text.size()) lose(fmt::format("sessions.text_file_max_bytes is {}", limits_.file_bytes));
}

void text_keeper::fail(std::string why) {
    log::warning("the output file {} ends at {} bytes: {}", name_, written_, why);
    lose(std::move(why));
}

// From here on nothing is written: what came later would hide the hole.
void text_keeper::lose(std::string why) {
    lost_ = std::move(why);
    if (fd_ >= 0 && written_ > 0) say_in_file();
}

// On a full disk the note takes the place of the last text.
void text_keeper::say_in_file() {
    const auto note = cut_note(fmt::format("at {} bytes", written_), *lost_);
    if (write_some(fd_, note) == note.size()) return;
    const auto kept = character_at(fd_, written_ - std::min<std::uint64_t>(written_, note.size()));
    if (::ftruncate(fd_, static_cast<off_t>(kept)) != 0) return;
    written_ = kept;
    (void)write_some(fd_, cut_note(fmt::format("at {} bytes", written_), *lost_));
}

void text_keeper::finish() {
    if (fd_ < 0) return;
    ::close(fd_);
    fd_ = -1;
}

}  // namespace gateway::sessions
