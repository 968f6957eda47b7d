#include "gateway/api/jupyter/context.hpp"

#include <utility>

namespace gateway::api::jupyter {

void add_route(http::router& routes, const std::shared_ptr<context>& with, const char* method, const char* pattern,
               http::scope needed, endpoint what) {
    http::route added;
    added.method = method;
    added.pattern = pattern;
    added.needed = needed;
    added.errors = http::error_style::jupyter;
    added.handle = [with, what](http::request& from) { return what(*with, from); };
    routes.add(std::move(added));
}

http::response refuse(const failure& why, const http::request& from) {
    return http::error_response(why, http::error_style::jupyter, from.id);
}

std::string acting_user(const http::principal& caller, const std::string& named) {
    return caller.is_admin() && !named.empty() ? named : caller.user_id;
}

void add_jupyter_routes(http::router& routes, sessions::registry& registry, jupyter_options options) {
    auto with = std::make_shared<context>(registry, std::move(options));
    add_status_routes(routes, with);
    add_kernelspec_routes(routes, with);
    add_kernel_routes(routes, with);
    add_notebook_session_routes(routes, with);
    add_channel_routes(routes, with);
    add_metrics_routes(routes, with);
}

}  // namespace gateway::api::jupyter
