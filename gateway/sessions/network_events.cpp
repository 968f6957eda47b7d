#include "gateway/sessions/network_events.hpp"

#include "gateway/sessions/object_text.hpp"

namespace gateway::sessions {

std::string network_denied_body(const egress::destination& to, egress::denial why) {
    object_text made;
    made.add_text("host", to.host);
    made.add_json("port", std::to_string(to.port));
    made.add_text("reason", egress::to_string(why));
    made.add_text("message", egress::describe(why));
    return made.finish();
}

std::string network_used_up_body(std::uint64_t max_bytes) {
    object_text made;
    made.add_json("max_bytes", std::to_string(max_bytes));
    return made.finish();
}

}  // namespace gateway::sessions
