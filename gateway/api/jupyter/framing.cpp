#include "gateway/api/jupyter/framing.hpp"

#include <algorithm>

#include "messaging/websocket_v1.hpp"

namespace gateway::api::jupyter {

std::string choose_subprotocol(const std::vector<std::string>& offered) {
    bool has_v1 = std::find(offered.begin(), offered.end(), messaging::v1_subprotocol) != offered.end();
    return std::string(has_v1 ? messaging::v1_subprotocol : std::string_view());
}

bool is_gateway_client(const std::string& subprotocol, const std::string& user_agent) {
    return subprotocol.empty() && user_agent.rfind("Tornado/", 0) == 0;
}

framing choose_framing(const std::string& subprotocol, const std::string& user_agent, bool binary_to_legacy) {
    if (subprotocol == messaging::v1_subprotocol) return framing::v1;
    return is_gateway_client(subprotocol, user_agent) && !binary_to_legacy ? framing::plain_without_buffers
                                                                           : framing::plain;
}

messaging::websocket_frame encode(framing form, const messaging::message& what) {
    switch (form) {
        case framing::v1:
            return {true, messaging::encode_v1(what)};
        case framing::plain:
            return messaging::encode_default(what);
        case framing::plain_without_buffers:
            break;
    }
    return messaging::encode_default_without_buffers(what);
}

result<messaging::message> decode(framing form, std::string_view bytes, bool binary) {
    if (form == framing::v1 && !binary)
        return failure{errc::invalid_request, "text frame; v1.kernel.websocket.jupyter.org has binary frames only"};
    auto decoded = form == framing::v1 ? messaging::decode_v1(bytes) : messaging::decode_default(bytes, binary);
    if (decoded) return std::move(*decoded);
    return failure{errc::invalid_request, decoded.error().message()};
}

}  // namespace gateway::api::jupyter
