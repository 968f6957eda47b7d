// GET /: where things are, for a person who follows the URL that the gateway prints. Open to all: it holds no secret.
#pragma once

#include "gateway/http/router.hpp"

namespace gateway::server {

void add_front_page(http::router& routes);

}  // namespace gateway::server
