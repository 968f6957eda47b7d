#include "gateway/api/agent/result_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gateway/base/log.hpp"
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

}  // namespace

std::string_view head_of(std::string_view text, std::size_t characters) {
    std::size_t seen = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        bool begins = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
        if (begins && seen++ == characters) return text.substr(0, at);
    }
    return text;
}

std::string keep_result(const std::string& files_directory, const std::string& cell_id, std::string_view text,
                        std::uint64_t most_bytes) {
    auto path = fmt::format("{}/{}.result.txt", output_directory, cell_id);
    auto seen = "/mnt/files/" + path;
    if (files_directory.empty() || mounts::make_directories_beneath(files_directory, output_directory) != 0) return {};
    int fd = mounts::open_beneath(files_directory, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
    if (fd < 0 && errno == EEXIST) return seen;
    bool good = fd >= 0 && write_all(fd, text.substr(0, most_bytes));
    if (good && text.size() > most_bytes)
        good = write_all(fd,
                         fmt::format("\n[cellgate: cut here at {} bytes, sessions.text_file_max_bytes]\n", most_bytes));
    if (!good) log::warning("the result of {} is not in a file: {}", cell_id, std::strerror(errno));
    if (fd >= 0) ::close(fd);
    return good ? seen : std::string();
}

}  // namespace gateway::api::agent
