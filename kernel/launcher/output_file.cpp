#include "kernel/launcher/output_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "kernel/sandbox/box_error.hpp"

namespace kernel {
namespace {

file_descriptor open_file(const std::string& path, int flags) {
    constexpr int always = O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW;
    return file_descriptor(require(open(path.c_str(), always | flags, 0600), "open the output file " + path));
}

std::string read_end(int file, long long size, long long wanted) {
    std::string text(wanted, '\0');
    ssize_t got = pread(file, text.data(), text.size(), size - wanted);
    text.resize(got < 0 ? 0 : got);
    return text;
}

}  // namespace

output_file::output_file(const std::string& path)
    : writer_(open_file(path.empty() ? "/dev/null" : path, O_WRONLY)),
      trimmer_(path.empty() ? file_descriptor() : open_file(path, O_RDWR)) {}

output_file::output_file(file_descriptor writer, file_descriptor trimmer)
    : writer_(std::move(writer)), trimmer_(std::move(trimmer)) {}

output_file output_file::in_memory() {
    file_descriptor file(require(memfd_create("cellgate-output", MFD_CLOEXEC), "make a file in memory"));
    // As for a file with a name: what is written goes to its end, wherever that is after a trim.
    require(fcntl(file.get(), F_SETFL, O_APPEND), "append to a file in memory");
    file_descriptor writer(require(fcntl(file.get(), F_DUPFD_CLOEXEC, 3), "copy a descriptor"));
    return {std::move(writer), std::move(file)};
}

std::string output_file::last_lines(std::size_t limit) const {
    struct stat status {};
    if (!trimmer_ || fstat(trimmer_.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    const auto size = std::min<long long>(status.st_size, static_cast<long long>(limit));
    std::string text = read_end(trimmer_.get(), status.st_size, size);
    if (size == status.st_size) return text;
    std::size_t end = text.find('\n');
    return end == std::string::npos || end + 1 == text.size() ? text : text.substr(end + 1);
}

void output_file::trim() {
    struct stat status {};
    if (!trimmer_ || fstat(trimmer_.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (status.st_size <= size_limit) return;
    std::string kept = "[" + std::to_string(status.st_size - kept_size) + " bytes of older output were dropped]\n" +
                       read_end(trimmer_.get(), status.st_size, kept_size);
    if (ftruncate(trimmer_.get(), 0) != 0) return;
    // A full disk loses the old output; the kernel goes on.
    (void)!write(trimmer_.get(), kept.data(), kept.size());
}

}  // namespace kernel
