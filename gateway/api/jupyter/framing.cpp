#include "gateway/api/jupyter/framing.hpp"

#include <algorithm>

#include "messaging/websocket_default.hpp"
#include "messaging/websocket_v1.hpp"

namespace gateway::api::jupyter {
namespace {

constexpr std::size_t least_borrowed = 64u << 10;  // each part is a buffer of its own for the system call

outgoing_frame borrow_v1(const messaging::message& what) {
    outgoing_frame made{true, messaging::encode_v1_head(what), {}};
    auto json = what.json_parts();
    made.borrowed.assign(json.begin(), json.end());
    made.borrowed.insert(made.borrowed.end(), what.buffers.begin(), what.buffers.end());
    return made;
}

}  // namespace

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

std::size_t outgoing_frame::size() const {
    auto size = bytes.size();
    for (auto each : borrowed) size += each.size();
    return size;
}

outgoing_frame encode(framing form, const messaging::message& what) {
    if (form == framing::v1)
        return what.size() < least_borrowed ? outgoing_frame{true, messaging::encode_v1(what), {}} : borrow_v1(what);
    auto whole =
        form == framing::plain ? messaging::encode_default(what) : messaging::encode_default_without_buffers(what);
    return {whole.binary, std::move(whole.bytes), {}};
}

result<messaging::message> decode(framing form, std::string_view bytes, bool binary) {
    if (form == framing::v1 && !binary)
        return failure{errc::invalid_request, "text frame; v1.kernel.websocket.jupyter.org has binary frames only"};
    auto decoded = form == framing::v1 ? messaging::decode_v1(bytes) : messaging::decode_default(bytes, binary);
    if (decoded) return std::move(*decoded);
    return failure{errc::invalid_request, decoded.error().message()};
}

}  // namespace gateway::api::jupyter
