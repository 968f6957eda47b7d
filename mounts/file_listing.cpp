#include "mounts/file_listing.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include "kernel/launcher/file_descriptor.hpp"
#include "mounts/confined.hpp"
#include "mounts/file_version.hpp"

namespace mounts {
namespace {

using directory_stream = std::unique_ptr<DIR, int (*)(DIR*)>;

constexpr std::size_t most_kept = 1024, most_kept_deep = 16, deep = 16;
constexpr std::size_t most_path_bytes = 4084;
constexpr std::string_view digits = "0123456789abcdef";

// In hex: names of directories on the way need not be text.
std::string to_cursor(const std::string& key) {
    std::string cursor;
    for (unsigned char each : key) cursor.append({digits[each >> 4], digits[each & 15]});
    return cursor;
}

std::optional<std::string> from_cursor(const std::string& cursor) {
    std::string key;
    if (cursor.size() % 2 != 0) return std::nullopt;
    for (std::size_t at = 0; at < cursor.size(); at += 2) {
        const auto high = digits.find(cursor[at]), low = digits.find(cursor[at + 1]);
        if (high == digits.npos || low == digits.npos) return std::nullopt;
        key += static_cast<char>(high * 16 + low);
    }
    return key;
}

// A directory's key ends in a slash: so the order of keys is that of the paths of the files below.
struct entry {
    std::string key;
    struct stat status {};

    bool is_directory() const { return key.back() == '/'; }
    bool operator<(const entry& other) const { return key < other.key; }
};

struct batch {
    std::vector<entry> entries;
    std::string last;  // the key up to which the directory has been read
    bool is_complete = true;
};

class lister {
  public:
    lister(int root, const std::string& prefix, std::string from, std::size_t limit, const listing_effort& most)
        : root_(root), prefix_(prefix), from_(std::move(from)), limit_(limit), most_(most) {}

    file_page run() {
        const auto slash = prefix_.rfind('/');
        visit(slash == prefix_.npos ? std::string() : prefix_.substr(0, slash + 1), 0);
        return std::move(page_);
    }

  private:
    // `directory` is empty or ends in a slash. False when the page has ended.
    bool visit(const std::string& directory, std::size_t depth) {
        ++directories_;
        std::string last;
        while (true) {
            auto some = read(directory, last, depth < deep ? most_kept : most_kept_deep);
            for (auto& each : some.entries)
                if (!take(directory, each, depth)) return false;
            if (some.is_complete) return true;
            last = std::move(some.last);
        }
    }

    bool take(const std::string& directory, entry& each, std::size_t depth) {
        auto key = directory + each.key;
        const bool is_full = !each.is_directory() && page_.items.size() == limit_;
        if (is_full || has_done_enough()) {
            page_.next = to_cursor(key);
            return false;
        }
        if (each.is_directory() && !visit(key, depth + 1)) return false;
        if (!each.is_directory()) page_.items.push_back(info_of(each.status, std::move(key)));
        has_taken_ = true;
        return true;
    }

    // A page that took nothing would end where it began.
    bool has_done_enough() const {
        return has_taken_ &&
               (directories_ >= most_.directories || (names_ >= most_.names && directories_ >= most_.many_directories));
    }

    // The first `most` of what is of interest behind `last`.
    batch read(const std::string& directory, const std::string& last, std::size_t most) {
        batch found;
        const int fd = open_beneath(root_, directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
        directory_stream stream(fd < 0 ? nullptr : ::fdopendir(fd), &::closedir);
        if (!stream && fd >= 0) ::close(fd);
        if (!stream) return found;
        while (const dirent* each = ::readdir(stream.get())) {
            ++names_;
            auto key = key_of(fd, *each);
            if (key.empty() || key <= last || !is_wanted(directory + key)) continue;
            keep(found, std::move(key), most);
        }
        std::sort_heap(found.entries.begin(), found.entries.end());
        if (!found.entries.empty()) found.last = found.entries.back().key;
        examine(fd, found.entries);
        return found;
    }

    static void keep(batch& into, std::string key, std::size_t most) {
        auto& heap = into.entries;
        if (heap.size() == most) {
            into.is_complete = false;
            if (heap.front().key < key) return;
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
        }
        heap.push_back(entry{std::move(key)});
        std::push_heap(heap.begin(), heap.end());
    }

    // Empty for what is not listed.
    static std::string key_of(int directory, const dirent& from) {
        std::string name = from.d_name;
        auto type = from.d_type;
        struct stat status {};
        if (type == DT_UNKNOWN && ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
            type = S_ISDIR(status.st_mode) ? DT_DIR : S_ISREG(status.st_mode) ? DT_REG : DT_UNKNOWN;
        if (type == DT_REG) return name;
        return type == DT_DIR && name != "." && name != ".." ? name + "/" : std::string();
    }

    bool is_wanted(std::string_view key) const {
        if (key.size() > most_path_bytes) return false;
        if (key.substr(0, prefix_.size()) == prefix_ && key >= from_) return true;
        if (key.back() != '/') return false;
        const auto leads_to = [&](std::string_view where) { return where.substr(0, key.size()) == key; };
        return (key.substr(0, prefix_.size()) == prefix_ || leads_to(prefix_)) && (key >= from_ || leads_to(from_));
    }

    static bool look_at(int directory, entry& which) {
        return which.is_directory() ||
               (::fstatat(directory, which.key.c_str(), &which.status, AT_SYMLINK_NOFOLLOW) == 0 &&
                S_ISREG(which.status.st_mode));
    }

    // Drops what is gone, or no file any more, since the directory was read.
    static void examine(int directory, std::vector<entry>& entries) {
        std::erase_if(entries, [&](entry& each) { return !look_at(directory, each); });
        const auto is_fresh = [](const entry& each) { return !each.is_directory() && may_change_unseen(each.status); };
        if (std::none_of(entries.begin(), entries.end(), is_fresh)) return;
        wait_for_tick();
        std::erase_if(entries, [&](entry& each) { return !look_at(directory, each); });
    }

    int root_;
    const std::string& prefix_;
    const std::string from_;  // the first key that is of interest
    const std::size_t limit_;
    const listing_effort most_;
    file_page page_;
    std::size_t directories_ = 0;
    std::size_t names_ = 0;
    bool has_taken_ = false;
};

}  // namespace

file_result<file_page> list_files(int root, const std::string& prefix, const std::string& cursor, std::size_t limit,
                                  const listing_effort& most) {
    auto from = from_cursor(cursor);
    if (!from) return file_problem{file_errc::bad_path, "cursor is not one that next_cursor gave: begin without one"};
    return lister(root, prefix, std::move(*from), limit, most).run();
}

}  // namespace mounts
