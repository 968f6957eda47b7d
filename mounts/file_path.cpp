#include "mounts/file_path.hpp"

namespace mounts {
namespace {

constexpr std::size_t most_name_bytes = 255;
// With /mnt/files/ before it and a NUL behind it, it is as long as Linux takes (PATH_MAX).
constexpr std::size_t most_path_bytes = 4096 - 1 - files_in_box.size() - 1;

file_problem bad(const char* why) { return {file_errc::bad_path, why}; }

std::string_view inside(std::string_view written) {
    if (written == files_in_box) return {};
    if (written.substr(0, files_in_box.size()) == files_in_box && written[files_in_box.size()] == '/')
        written.remove_prefix(files_in_box.size());
    if (!written.empty() && written.front() == '/') written.remove_prefix(1);
    return written;
}

file_result<void> check_name(std::string_view name) {
    if (name.empty()) return bad("a path has no empty names: write one / between two names");
    if (name == "." || name == "..")
        return bad("a path has no names \".\" and \"..\": write the path from /mnt/files on, data/a.csv");
    if (name.size() > most_name_bytes) return bad("a name in a path has at most 255 bytes: use a shorter one");
    return {};
}

file_result<void> check_text(std::string_view text) {
    if (text.size() > most_path_bytes) return bad("a path has at most 4084 bytes: use a shorter one");
    if (text.find('\0') != text.npos) return bad("a path has no NUL byte: leave it out");
    return {};
}

}  // namespace

file_result<file_path> file_path::parse(std::string_view written) {
    auto text = inside(written);
    if (!text.empty() && text.back() == '/') text.remove_suffix(1);
    if (text.empty()) return bad("a path names a file or directory in /mnt/files: write one, data/a.csv");
    if (auto good = check_text(text); !good) return good.error();
    for (std::size_t from = 0; from <= text.size();) {
        const auto end = std::min(text.find('/', from), text.size());
        if (auto good = check_name(text.substr(from, end - from)); !good) return good.error();
        from = end + 1;
    }
    return file_path(std::string(text));
}

std::string file_path::parent() const {
    const auto slash = text_.rfind('/');
    return slash == text_.npos ? std::string() : text_.substr(0, slash);
}

std::string file_path::name() const {
    const auto slash = text_.rfind('/');
    return slash == text_.npos ? text_ : text_.substr(slash + 1);
}

file_result<std::string> parse_prefix(std::string_view written) {
    const auto text = inside(written);
    if (auto good = check_text(text); !good) return good.error();
    const auto slash = text.rfind('/');
    if (slash == text.npos) return std::string(text);
    const auto parent = text.substr(0, slash);
    if (parent.empty() || parent.back() == '/') return check_name("").error();
    if (auto good = file_path::parse(parent); !good) return good.error();
    return std::string(text);
}

}  // namespace mounts
