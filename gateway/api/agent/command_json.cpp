#include "gateway/api/agent/command_json.hpp"

#include <nlohmann/json.hpp>

#include "gateway/sessions/command_events.hpp"

namespace gateway::api::agent {

nlohmann::json command_object(const sessions::command& from) {
    auto made = sessions::command_summary(from);
    made["stdout"] = from.out.head;
    made["stderr"] = from.err.head;
    return made;
}

}  // namespace gateway::api::agent
