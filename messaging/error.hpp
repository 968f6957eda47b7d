// Why bytes were not a Jupyter message, or a socket did not do its work. Values; any thread.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace messaging {

enum class errc {
    ok = 0,
    too_few_frames,
    no_delimiter,
    bad_signature,
    duplicate_signature,
    too_large,
    bad_json,
    bad_offsets,
    bad_channel,
    bad_connection_file,
    socket_failed,
    not_zmtp,
    wrong_mechanism,
    wrong_peer,
    bad_frame,
    refused_by_peer,
    unsafe_socket,
    cancelled,
};

const boost::system::error_category& category();
boost::system::error_code make_error_code(errc code);

template <class T = void>
using result = boost::system::result<T>;

}  // namespace messaging

template <>
struct boost::system::is_error_code_enum<messaging::errc> : std::true_type {};
