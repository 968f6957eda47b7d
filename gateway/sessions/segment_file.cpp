#include "gateway/sessions/segment_file.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <span>

#include "gateway/sessions/entry_codec.hpp"

namespace gateway::sessions {
namespace {

// One system call for many small records; a longer record is read by itself.
constexpr std::size_t read_ahead_bytes = 64u << 10;

failure system_failure(const std::string& what, const std::string& path) {
    return failure{errc::io_error, what + " " + path + ": " + std::strerror(errno)};
}

// Pieces for writev(2), which takes so many at once and perhaps a part of them.
class gathered {
  public:
    explicit gathered(const std::vector<std::string_view>& pieces) {
        for (auto each : pieces)
            if (!each.empty()) left_.push_back({const_cast<char*>(each.data()), each.size()});
    }

    bool empty() const { return at_ == left_.size(); }
    std::span<const iovec> first() const {
        return std::span(left_).subspan(at_, std::min<std::size_t>(left_.size() - at_, IOV_MAX));
    }

    void remove(std::size_t bytes) {
        while (bytes > 0) {
            auto& front = left_[at_];
            auto count = std::min(bytes, front.iov_len);
            front = {static_cast<char*>(front.iov_base) + count, front.iov_len - count};
            bytes -= count;
            if (front.iov_len == 0) ++at_;
        }
    }

  private:
    std::vector<iovec> left_;
    std::size_t at_ = 0;
};

// The records of one file in order, through a window of read-ahead.
class record_reader {
  public:
    record_reader(const segment_file& file, std::uint64_t from, std::uint64_t to)
        : file_(file), start_(from), at_(from), end_(to) {}

    std::uint64_t offset() const { return at_; }
    bool at_end() const { return at_ >= end_; }

    // The next record's payload, valid until the next call; nullopt when the file does not hold it.
    std::optional<std::string_view> next() {
        if (!fill(record_header_bytes)) return std::nullopt;
        auto length = decode_record_length(view(record_header_bytes));
        if (length > end_ - at_ || !fill(record_header_bytes + length)) return std::nullopt;
        auto payload = view(record_header_bytes + length).substr(record_header_bytes);
        at_ += record_header_bytes + length;
        return payload;
    }

  private:
    std::string_view view(std::size_t size) const { return std::string_view(window_).substr(at_ - start_, size); }

    bool fill(std::uint64_t size) {
        if (size > end_ - at_) return false;
        if (at_ - start_ + size <= window_.size()) return true;
        auto wanted = std::min<std::uint64_t>(std::max<std::uint64_t>(size, read_ahead_bytes), end_ - at_);
        auto bytes = file_.read(at_, wanted);
        if (!bytes || bytes->size() < size) return false;
        window_ = std::move(*bytes);
        start_ = at_;
        return true;
    }

    const segment_file& file_;
    std::string window_;
    std::uint64_t start_;  // offset of the window
    std::uint64_t at_;
    std::uint64_t end_;
};

}  // namespace

result<std::shared_ptr<segment_file>> segment_file::create(std::string path) {
    int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return system_failure("cannot create", path);
    return std::shared_ptr<segment_file>(new segment_file(std::move(path), fd));
}

segment_file::segment_file(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

segment_file::~segment_file() { ::close(fd_); }

result<void> segment_file::write(std::uint64_t offset, const std::vector<std::string_view>& pieces) {
    gathered left(pieces);
    for (auto at = offset; !left.empty();) {
        auto some = left.first();
        auto count = ::pwritev(fd_, some.data(), static_cast<int>(some.size()), static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            auto why = system_failure("cannot write", path_);
            // Nothing is owed to a truncate that fails too: the offset, not the file's end, says where entries end.
            (void)!::ftruncate(fd_, static_cast<off_t>(offset));
            return why;
        }
        left.remove(static_cast<std::size_t>(count));
        at += static_cast<std::size_t>(count);
    }
    return {};
}

result<std::string> segment_file::read(std::uint64_t offset, std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        auto count = ::pread(fd_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_failure("cannot read", path_);
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    bytes.resize(done);
    return bytes;
}

void segment_file::unlink() { ::unlink(path_.c_str()); }

segment_read read_entries(const segment_file& from, segment_range where) {
    record_reader records(from, where.from, where.to);
    segment_read answer;
    answer.next_offset = where.from;
    std::size_t taken = 0;
    while (!records.at_end()) {
        auto payload = records.next();
        auto decoded = payload ? decode_payload(*payload) : result<entry>(failure{errc::io_error, "short"});
        if (!decoded) {
            answer.damaged = true;
            return answer;
        }
        if (decoded->seq > where.until_seq) break;
        auto wanted = decoded->seq > where.after_seq;
        if (wanted && !answer.entries.empty() && taken + decoded->size() > where.max_bytes) break;
        answer.next_offset = records.offset();
        if (!wanted) continue;
        auto made = std::make_shared<const entry>(std::move(*decoded));
        taken += made->size();
        answer.entries.push_back(std::move(made));
    }
    return answer;
}

}  // namespace gateway::sessions
