// Why something could not be done with a session's file: a code for programs, a text that names the file as the session
// sees it and says what to do. Values; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <string>

namespace mounts {

enum class file_errc : std::uint8_t {
    bad_path,       // no name that a file can have
    not_found,      // there is nothing of that name
    unusable,       // what is there is no file, or does not let itself be read or replaced
    not_as_stated,  // what is there is not what the caller said it would be
    full,           // no space, or over a quota
    failed,         // the disk refused
};

struct file_problem {
    file_errc code = file_errc::failed;
    std::string text;

    bool operator==(const file_problem&) const = default;
};

// For value() on a problem, which is a broken promise inside.
[[noreturn]] void throw_exception_from_error(const file_problem& error, const boost::source_location& where);

template <class T = void>
using file_result = boost::system::result<T, file_problem>;

// From the error number of a call that was about `path`. `doing`: "read", "write", ….
file_problem problem_of(int error, const std::string& path, const std::string& doing);

}  // namespace mounts
