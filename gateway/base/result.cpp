#include "gateway/base/result.hpp"

#include <stdexcept>
#include <utility>

namespace gateway {
namespace {

struct description {
    errc code;
    const char* name;
    int status;
};

constexpr description descriptions[] = {
    {errc::invalid_request, "invalid_request", 400},
    {errc::unknown_field, "unknown_field", 400},
    {errc::unauthorized, "unauthorized", 401},
    {errc::forbidden, "forbidden", 403},
    {errc::not_found, "not_found", 404},
    {errc::session_not_found, "session_not_found", 404},
    {errc::kernel_not_found, "kernel_not_found", 404},
    {errc::kernelspec_not_found, "kernelspec_not_found", 404},
    {errc::cell_not_found, "cell_not_found", 404},
    {errc::account_not_found, "account_not_found", 404},
    {errc::no_account, "no_account", 400},
    {errc::origin_mismatch, "origin_mismatch", 400},
    {errc::command_not_found, "command_not_found", 404},
    {errc::method_not_allowed, "method_not_allowed", 405},
    {errc::conflict, "conflict", 409},
    {errc::name_taken, "name_taken", 409},
    {errc::idempotency_mismatch, "idempotency_mismatch", 409},
    {errc::too_large, "too_large", 413},
    {errc::limit_reached, "limit_reached", 403},
    {errc::rate_limited, "rate_limited", 429},
    {errc::session_dead, "session_dead", 409},
    {errc::kernel_start_failed, "kernel_start_failed", 500},
    {errc::kernel_dead, "kernel_dead", 409},
    {errc::cell_not_running, "cell_not_running", 409},
    {errc::command_not_running, "command_not_running", 409},
    {errc::no_input_requested, "no_input_requested", 409},
    {errc::timeout, "timeout", 504},
    {errc::cancelled, "cancelled", 409},
    {errc::peer_gone, "peer_gone", 502},
    {errc::io_error, "io_error", 500},
    {errc::tool_failed, "tool_failed", 502},
    {errc::unavailable, "unavailable", 503},
    {errc::internal_error, "internal_error", 500},
    {errc::link_refused, "link_refused", 403},
    {errc::file_not_found, "file_not_found", 404},
    {errc::file_unusable, "file_unusable", 409},
    {errc::precondition_failed, "precondition_failed", 412},
    {errc::range_not_satisfiable, "range_not_satisfiable", 416},
    {errc::storage_full, "storage_full", 507},
};

const description& describe(errc code) {
    for (const auto& each : descriptions)
        if (each.code == code) return each;
    return describe(errc::internal_error);
}

}  // namespace

const char* to_string(errc code) { return describe(code).name; }

int http_status(errc code) { return describe(code).status; }

void throw_exception_from_error(const failure& error, const boost::source_location&) {
    throw std::logic_error(std::string("value() of a failed result: ") + to_string(error.code) + ": " + error.message);
}

}  // namespace gateway
