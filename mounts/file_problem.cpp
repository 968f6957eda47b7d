#include "mounts/file_problem.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace mounts {

void throw_exception_from_error(const file_problem& error, const boost::source_location&) {
    throw std::logic_error("value() of a problem: " + error.text);
}

file_problem problem_of(int error, const std::string& path, const std::string& doing) {
    const auto what = "cannot " + doing + " " + path + ": ";
    switch (error) {
        case ENOENT:
            return {file_errc::not_found,
                    "there is no file " + path + ": list the session's files to see which there are"};
        case ENAMETOOLONG:
            return {file_errc::bad_path, what + "the name is too long"};
        case ELOOP:
            return {file_errc::unusable, what +
                                             "a part of the path is a symbolic link, which is never followed: use the "
                                             "path that it leads to"};
        case ENOTDIR:
            return {file_errc::unusable, what + "a part of the path is a file, not a directory: use another path"};
        case EISDIR:
        case EEXIST:
        case ENOTEMPTY:
            return {file_errc::unusable, what + "a directory is there: delete it first, or use another path"};
        case EACCES:
        case EPERM:
            return {file_errc::unusable,
                    what + "its permissions do not allow it: change them inside the session (chmod)"};
        case EAGAIN:
        case EBUSY:
        case ETXTBSY:
            return {file_errc::unusable, what + "a program in the session holds it: try again when that has ended"};
        case EDQUOT:
            return {file_errc::full,
                    what +
                        "the session's files have reached the limit of its size (sizes.NAME.files_bytes): delete files "
                        "that are not needed, or take a larger size"};
        case ENOSPC:
        case EFBIG:
            return {file_errc::full, what + std::strerror(error) +
                                         ": delete files of the session that are not needed, or ask who runs the "
                                         "gateway for more space (storage.disk_image_bytes)"};
        default:
            return {file_errc::failed, what + std::strerror(error)};
    }
}

}  // namespace mounts
