// Why a directory could not be used: a text that names it and says what to do. Values; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <string>

namespace mounts {

struct problem {
    std::string text;

    bool operator==(const problem&) const = default;
};

// For value() on a problem, which is a broken promise inside.
[[noreturn]] void throw_exception_from_error(const problem& error, const boost::source_location& where);

template <class T = void>
using result = boost::system::result<T, problem>;

// "make /x: Permission denied", from errno.
problem system_problem(const std::string& what);

}  // namespace mounts
