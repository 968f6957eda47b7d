// The requests of Jupyter clients that have no reply yet, so that each is answered when the kernel dies. Values and one
// table, owned by one session; io thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "messaging/message.hpp"

namespace gateway::sessions {

struct pending_request {
    std::string client;  // its key
    messaging::channel where = messaging::channel::shell;
    std::string msg_id;
    std::string msg_type;
    std::string header;  // JSON, becomes the parent_header of the answer
    std::uint64_t order = 0;
};

class request_table {
  public:
    // Only what a kernel answers ("…_request") is kept.
    void add(pending_request what);
    // The request that this reply answers, taken out; nullopt when it is not ours.
    std::optional<pending_request> take(const std::string& msg_id);
    const pending_request* find(const std::string& msg_id) const;
    bool any_of(const std::string& client) const;
    bool empty() const { return requests_.empty(); }
    // All, in the order in which they came; the table is empty afterwards.
    std::vector<pending_request> take_all();

  private:
    std::unordered_map<std::string, pending_request> requests_;
    std::uint64_t count_ = 0;
};

// The error reply that stands in for the kernel's, of the matching type, and the idle that ends the request.
messaging::message make_error_reply(const pending_request& to, const std::string& kernel_session,
                                    const std::string& ename, const std::string& evalue);
messaging::message make_status(const std::string& execution_state, const std::string& kernel_session,
                               const std::string& parent_header = "{}");

}  // namespace gateway::sessions
