// How a layer of the gateway tells an expected failure: a stable code for programs, a message for people.
// Values; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <string>

namespace gateway {

// One code a kind of failure. The API layers print to_string(code) and http_status(code); docs/api.md lists them.
enum class errc {
    invalid_request,
    unknown_field,
    unauthorized,
    forbidden,
    not_found,
    session_not_found,
    kernel_not_found,
    kernelspec_not_found,
    cell_not_found,
    account_not_found,
    no_account,
    origin_mismatch,
    command_not_found,
    method_not_allowed,
    conflict,
    name_taken,
    idempotency_mismatch,
    too_large,
    limit_reached,
    rate_limited,
    session_dead,
    kernel_start_failed,
    kernel_dead,
    cell_not_running,
    command_not_running,
    no_input_requested,
    timeout,
    cancelled,
    peer_gone,
    io_error,
    tool_failed,
    unavailable,
    internal_error,
    link_refused,
    file_not_found,
    file_unusable,
    precondition_failed,
    range_not_satisfiable,
    storage_full,
};

const char* to_string(errc code);
int http_status(errc code);

struct failure {
    errc code = errc::internal_error;
    std::string message;
    std::chrono::seconds retry_after{0};  // of rate_limited: when to try again; 0: nobody said

    bool operator==(const failure&) const = default;
};

// For result<T>::value() on a failure, which is a broken promise inside: it throws std::logic_error.
[[noreturn]] void throw_exception_from_error(const failure& error, const boost::source_location& where);

template <class T = void>
using result = boost::system::result<T, failure>;

}  // namespace gateway
