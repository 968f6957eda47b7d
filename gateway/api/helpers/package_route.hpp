// POST /v1/packages {parent, modules or requirements, upgrade}: installs into the session's own site directory. When
// the answer goes out, it is in the cell's `installed` (docs/packages.md).
#pragma once

#include "gateway/api/helpers/endpoint.hpp"
#include "gateway/packages/installer.hpp"
#include "gateway/sessions/registry.hpp"

namespace gateway::api::helpers {

// Both outlive the endpoint.
void add_package_route(endpoint& to, sessions::registry& all, packages::installer& installer);

}  // namespace gateway::api::helpers
