#include "gateway/tools/execute_response.hpp"

#include <nlohmann/json.hpp>

#include "gateway/base/ids.hpp"
#include "gateway/tools/json_text.hpp"

namespace gateway::tools {

std::string execute_response(const std::string& data, const std::string& error) {
    auto said = error.empty() ? std::string("null") : to_text(nlohmann::json(error));
    return R"({"data":)" + data + R"(,"error":)" + said + R"(,"log_id":")" + make_id("log_") + R"("})";
}

}  // namespace gateway::tools
