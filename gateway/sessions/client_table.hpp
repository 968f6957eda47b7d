// The Jupyter clients of one session: who may take whose cursor, what each has acknowledged,
// and what a connection is sent first. Owned by one session; io thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gateway/sessions/jupyter_client.hpp"
#include "gateway/sessions/output_log.hpp"

namespace gateway::sessions {

// An input_request that nobody has answered.
struct open_question {
    messaging::shared_message message;
    std::uint64_t seq = 0;  // its place in the log
    std::string client;     // whom the log's entry is addressed to
};

// What the clients need of their session; outlives the table.
class client_host {
  public:
    virtual result<void> forward(const std::string& client, messaging::message what) = 0;
    // Whether requests of that client have no reply yet.
    virtual bool has_requests(const std::string& client) const = 0;
    // A status message with the state as it is now, with the kernel's own session id.
    virtual messaging::shared_message status_message() const = 0;
    virtual std::optional<open_question> pending_question() const = 0;
    // A stderr stream message with that parent.
    virtual messaging::shared_message note(const std::string& text, const std::string& parent_header) const = 0;
    virtual output_log& log() = 0;

  protected:
    ~client_host() = default;
};

class client_table {
  public:
    explicit client_table(client_host& host);
    ~client_table();

    std::shared_ptr<jupyter_client> connect(const std::string& session_id, const std::string& via);
    std::size_t connections() const;
    std::size_t connections_via(const std::string& kernel_id) const;
    // Ends every connection; next() of each answers empty (gateway_ended: at the end of the log, which was ended
    // before).
    void end_all(client_end why);
    void end_via(const std::string& kernel_id, client_end why);

  private:
    class connection;
    struct record;

    std::shared_ptr<record> find(const std::string& session_id) const;
    std::shared_ptr<record> find_heir() const;
    std::shared_ptr<record> admit(const std::string& session_id);
    std::shared_ptr<connection> open(std::shared_ptr<record> owner, std::uint64_t after, const std::string& via);
    void greet(connection& opened) const;
    void closed(connection& gone);
    void forget_oldest();

    client_host& host_;
    std::deque<std::shared_ptr<record>> records_;  // in the order in which they came
};

}  // namespace gateway::sessions
