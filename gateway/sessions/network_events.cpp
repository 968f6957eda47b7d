#include "gateway/sessions/network_events.hpp"

#include <nlohmann/json.hpp>

namespace gateway::sessions {
namespace {

std::string to_text(const nlohmann::json& from) {
    return from.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string network_denied_body(const egress::destination& to, egress::denial why) {
    return to_text(
        {{"host", to.host}, {"port", to.port}, {"reason", egress::to_string(why)}, {"message", egress::describe(why)}});
}

std::string network_used_up_body(std::uint64_t max_bytes) { return to_text({{"max_bytes", max_bytes}}); }

}  // namespace gateway::sessions
