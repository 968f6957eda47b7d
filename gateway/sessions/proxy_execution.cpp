#include "gateway/sessions/proxy_execution.hpp"

#include <nlohmann/json.hpp>

#include "gateway/sessions/json_reading.hpp"

namespace gateway::sessions {

std::optional<bool> proxy_execution_of(const std::string& sandbox) {
    const auto object = parse_object(sandbox);
    const auto found = object.find("enable_proxy_execution");
    if (found == object.end() || found->is_null()) return std::nullopt;
    return found->is_boolean() && found->get<bool>();
}

}  // namespace gateway::sessions
