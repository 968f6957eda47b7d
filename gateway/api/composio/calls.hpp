// A call of a session's tool while it runs. io thread.
#pragma once

#include <memory>
#include <string>

#include "gateway/api/composio/context.hpp"

namespace gateway::api::composio {

// What a call needs, for as long as it runs. The context outlives it: the service ends calls before itself.
struct running_call {
    context& with;
    shared_session session;
    std::shared_ptr<const configuration_version> version;
    tool_call what;
    std::shared_ptr<run> which;
    std::string page_url;  // found_session's

    const configuration& settings() const { return version->what; }
    found_session found() const { return {session, version, page_url}; }
};
using shared_call = std::shared_ptr<running_call>;

// A toolkit's tool that the session's configuration lets in.
awaitable<tool_outcome> call_toolkit(shared_call call, std::string slug, std::string arguments, std::string account);
// COMPOSIO_MULTI_EXECUTE_TOOL
awaitable<tool_outcome> call_many(shared_call call);
// The same outcome with its data in a file of the session, and a preview in its place; when it has not so many
// characters after all, as it was.
awaitable<tool_outcome> offload_one(shared_call call, tool_outcome what);

}  // namespace gateway::api::composio
