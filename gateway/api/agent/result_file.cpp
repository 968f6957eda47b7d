#include "gateway/api/agent/result_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gateway/base/log.hpp"
#include "gateway/sessions/text_keeper.hpp"
#include "messaging/utf8.hpp"
#include "mounts/confined.hpp"

namespace gateway::api::agent {
namespace {

constexpr const char* output_directory = ".composio/output";

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        auto done = ::write(fd, text.data(), text.size());
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
}

void remove_file(const std::string& files_directory, const std::string& name) {
    const int directory = mounts::open_beneath(files_directory, output_directory, O_PATH | O_DIRECTORY);
    if (directory < 0) return;
    ::unlinkat(directory, name.c_str(), 0);
    ::close(directory);
}

}  // namespace

std::string_view head_of(std::string_view text, std::size_t characters) {
    std::size_t seen = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (messaging::begins_character(text[at]) && seen++ == characters) return text.substr(0, at);
    }
    return text;
}

kept_result keep_result(const std::string& files_directory, const std::string& cell_id, std::string_view text,
                        std::uint64_t most_bytes) {
    const auto path = fmt::format("{}/{}.result.txt", output_directory, cell_id);
    const auto seen = "/mnt/files/" + path;
    const auto limit = fmt::format("sessions.text_file_max_bytes is {}", most_bytes);
    const auto fits = text.substr(0, most_bytes);
    const bool whole = fits.size() == text.size();
    kept_result kept{seen, {}};
    if (!whole) kept.note = sessions::cut_note(fmt::format("{} has only the first {} bytes", seen, most_bytes), limit);
    auto lost = [&](const char* why) {
        log::warning("the result of {} is not in a file: {}", cell_id, why);
        return kept_result{{}, sessions::cut_note(fmt::format("{} cannot be written", seen), why)};
    };
    if (mounts::make_directories_beneath(files_directory, output_directory) != 0) return lost(std::strerror(errno));
    const int fd = mounts::open_beneath(files_directory, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
    if (fd < 0 && errno == EEXIST) return kept;
    if (fd < 0) return lost(std::strerror(errno));
    const bool good = write_all(fd, fits) &&
                      (whole || write_all(fd, sessions::cut_note(fmt::format("at {} bytes", most_bytes), limit)));
    const int why = errno;
    if (good) {
        ::close(fd);
        return kept;
    }
    // All or nothing: whoever asks next tries again.
    ::close(fd);
    remove_file(files_directory, cell_id + ".result.txt");
    return lost(std::strerror(why));
}

}  // namespace gateway::api::agent
