// A session's configuration as it is: what a client configured, and of the workbench what the session's sandbox has
// become since, which its own API changes as well. io thread.
#pragma once

#include <memory>

#include "gateway/api/composio/configuration_store.hpp"
#include "gateway/api/composio/routes.hpp"
#include "gateway/sessions/session.hpp"

namespace gateway::api::composio {

// `kept` with whether there is a sandbox, its size and enable_proxy_execution as the session has them: listed, called,
// shown and changed by the next PATCH is that. The same pointer when nothing differs.
std::shared_ptr<const configuration_version> with_sandbox(std::shared_ptr<const configuration_version> kept,
                                                          const sessions::session& of);

// What calls of connected accounts may do for the session, from its cells as from routes.
account_rights rights_of(const configuration& settings, const sessions::session& which);

// As JSON, the keys of the session's sandbox that a configuration says.
std::string sandbox_text(const workbench_settings& from);

}  // namespace gateway::api::composio
