// Which WebSocket form a connection speaks, and its frames. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/result.hpp"
#include "messaging/message.hpp"

namespace gateway::api::jupyter {

enum class framing {
    v1,                     // v1.kernel.websocket.jupyter.org
    plain,                  // no subprotocol: JSON, binary when there are buffers
    plain_without_buffers,  // the same for a client whose read loop dies on a binary frame
};

// v1 when it is offered, otherwise none.
std::string choose_subprotocol(const std::vector<std::string>& offered);
// jupyter_server's gateway client is a Tornado client that offers no subprotocol.
bool is_gateway_client(const std::string& subprotocol, const std::string& user_agent);
// That client decodes every frame as UTF-8 and dies of a binary one (ipywidgets#3798): it gets none unless
// `binary_to_legacy` says that it can read them.
framing choose_framing(const std::string& subprotocol, const std::string& user_agent, bool binary_to_legacy);

// A frame is the bytes and then the borrowed, in order: what is large is not copied.
struct outgoing_frame {
    bool binary = false;
    std::string bytes;
    std::vector<std::string_view> borrowed;  // of the message

    std::size_t size() const;
};

outgoing_frame encode(framing form, const messaging::message& what);
// The failure's message says what is wrong with the frame.
result<messaging::message> decode(framing form, std::string_view bytes, bool binary);

}  // namespace gateway::api::jupyter
