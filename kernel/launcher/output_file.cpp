#include "kernel/launcher/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
