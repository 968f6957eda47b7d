// POST /v1/files/link {path, expires_in_s?}: a link by which anybody can download a file of the session's own mount
// until it expires. {url, path, size, expires_at} (docs/tools.md).
#pragma once

#include <boost/asio/thread_pool.hpp>

#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/files/links.hpp"
#include "gateway/sessions/registry.hpp"

namespace gateway::api::helpers {

// All outlive the endpoint.
void add_file_link_route(endpoint& to, sessions::registry& all, const files::links& links, asio::thread_pool& pool);

}  // namespace gateway::api::helpers
