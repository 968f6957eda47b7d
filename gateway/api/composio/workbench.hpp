// COMPOSIO_REMOTE_WORKBENCH: a cell of the session. io thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gateway/api/composio/tool_call.hpp"
#include "gateway/base/async.hpp"
#include "gateway/sessions/session.hpp"

namespace gateway::api::composio {

using shared_session = std::shared_ptr<sessions::session>;

struct workbench_options {
    std::size_t text_limit_chars = 40'000;           // of a result; what is longer goes to a file of the session
    std::uint64_t text_file_max_bytes = 1ull << 30;  // of that file
    std::size_t most_image_bytes = 8u << 20;         // of all images of one outcome, in base64
};

// How often a session's kernel had been restarted when its client last saw it, so that the next cell tells it.
using seen_restarts = std::map<std::string, int>;

struct workbench_parts {
    shared_session session;
    const workbench_options& options;
    seen_restarts& seen;
    std::function<void(const std::string& cell_id)> queued;  // once the cell has an id
};

// Until the cell has ended; a session without a kernel gets one first. Any failure: there is no cell, or no end of it.
awaitable<result<std::shared_ptr<const sessions::cell>>> run_cell(shared_session in, sessions::execute_options what,
                                                                  std::function<void(const std::string&)> queued);
// Which sandbox this is: another one after a restart.
std::string sandbox_suffix(const sessions::session& of);

// Until the cell has ended. `arguments` were checked.
awaitable<tool_outcome> run_workbench(workbench_parts with, tools::shared_json arguments);

// {"id", "instructions"}: what meta tools say of the id by which a task's calls belong together.
nlohmann::json session_echo(const nlohmann::json& arguments);

}  // namespace gateway::api::composio
