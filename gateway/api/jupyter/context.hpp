// What the Jupyter routes share, and the small verbs that all of them use. Kept alive by the routes; io thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gateway/api/jupyter/counters.hpp"
#include "gateway/api/jupyter/notebook_sessions.hpp"
#include "gateway/api/jupyter/routes.hpp"

namespace gateway::api::jupyter {

struct context {
    sessions::registry& registry;
    jupyter_options options;
    notebook_sessions notebooks;
    channel_counters counters;
    wall_clock::time_point started = wall_clock::now();

    context(sessions::registry& all, jupyter_options chosen) : registry(all), options(std::move(chosen)) {}
};

using endpoint = awaitable<http::response> (*)(context&, http::request&);

// Adds a route whose handler keeps `with` alive.
void add_route(http::router& routes, const std::shared_ptr<context>& with, const char* method, const char* pattern,
               http::scope needed, endpoint what);

// One function a family, each in its own file.
void add_status_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_kernelspec_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_kernel_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_notebook_session_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_channel_routes(http::router& routes, const std::shared_ptr<context>& with);
void add_metrics_routes(http::router& routes, const std::shared_ptr<context>& with);

// A failure in the shape that jupyter_server's clients read.
http::response refuse(const failure& why, const http::request& from);

// The user that a request acts for: the key's, or, with an admin key, the one that KERNEL_USERNAME or ?user= names.
std::string acting_user(const http::principal& caller, const std::string& named);

}  // namespace gateway::api::jupyter
