// /api and /api/status.
#include <fmt/format.h>

#include <algorithm>

#include "gateway/api/jupyter/context.hpp"
#include "gateway/api/jupyter/kernel_access.hpp"
#include "gateway/api/jupyter/kernel_json.hpp"

namespace gateway::api::jupyter {
namespace {

// The jupyter_server release whose REST API this one follows: clients compare it to decide what a server can do.
constexpr const char* compatible_version = "2.17.0";

awaitable<http::response> get_version(context&, http::request&) {
    co_return http::json_response(fmt::format(R"({{"version":"{}"}})", compatible_version));
}

awaitable<http::response> get_status(context& with, http::request& from) {
    auto kernels = visible_kernels(with, from.caller);
    std::size_t connections = 0;
    auto last_activity = with.started;
    for (const auto& each : kernels) {
        connections += count_connections(each);
        last_activity = std::max(last_activity, each.owner->last_activity());
    }
    co_return http::json_response(
        fmt::format(R"({{"connections":{},"kernels":{},"last_activity":"{}","started":"{}"}})", connections,
                    kernels.size(), iso8601(last_activity), iso8601(with.started)));
}

}  // namespace

void add_status_routes(http::router& routes, const std::shared_ptr<context>& with) {
    add_route(routes, with, "GET", "/api", http::scope::none, get_version);
    add_route(routes, with, "GET", "/api/status", http::scope::execute, get_status);
}

}  // namespace gateway::api::jupyter
