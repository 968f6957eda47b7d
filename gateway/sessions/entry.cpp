#include "gateway/sessions/entry.hpp"

namespace gateway::sessions {

std::size_t entry::size() const {
    auto bytes = sizeof(entry) + client.size() + cell_id.size() + type.size() + parent.size() + body.size();
    // Seven strings and lists of its own, each a heap block besides its bytes.
    if (message) bytes += sizeof(messaging::message) + message->size();
    return bytes;
}

}  // namespace gateway::sessions
