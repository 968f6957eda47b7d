// Why a kernel's sockets cannot be bound. Values; any thread.
#pragma once

#include <boost/system/error_code.hpp>

namespace kernel {

enum class bind_errc {
    ok = 0,
    path_too_long,
    not_a_socket,
    in_use,
    bad_address,
};

const boost::system::error_category& bind_category();
boost::system::error_code make_error_code(bind_errc code);

}  // namespace kernel

template <>
struct boost::system::is_error_code_enum<kernel::bind_errc> : std::true_type {};
