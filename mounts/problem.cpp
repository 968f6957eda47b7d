#include "mounts/problem.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace mounts {

void throw_exception_from_error(const problem& error, const boost::source_location&) {
    throw std::logic_error("value() of a problem: " + error.text);
}

problem system_problem(const std::string& what) { return {what + ": " + std::strerror(errno)}; }

}  // namespace mounts
