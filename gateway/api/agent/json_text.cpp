#include "gateway/api/agent/json_text.hpp"

#include <nlohmann/json.hpp>

namespace gateway::api::agent {

std::string dump(const nlohmann::json& what) {
    return what.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace gateway::api::agent
