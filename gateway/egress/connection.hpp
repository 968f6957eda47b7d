// One connection of a session to its proxy, and the one to where it goes: a request's head, the policy, the look-up,
// and then bytes both ways, counted. Kept alive by its own tasks; io thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/egress/client_hello.hpp"
#include "gateway/egress/forwarding.hpp"
#include "gateway/egress/http_body.hpp"
#include "gateway/egress/shared_state.hpp"
#include "gateway/egress/socket.hpp"

namespace gateway::egress {

class connection : public std::enable_shared_from_this<connection> {
  public:
    // `over_limit`: it is told so and ends.
    connection(std::shared_ptr<shared_state> shared, socket client, bool over_limit);
    ~connection();

    // Its whole life until bytes go both ways; from then on its tasks have it.
    static awaitable<void> run(std::shared_ptr<connection> self);
    // Ends it if the policy, which is another now, does not allow where it goes.
    void judge_again();
    // What was counted is still written; nothing more is read.
    void stop_reading();
    // Ends it now.
    void close();

  private:
    enum class ending : std::uint8_t {
        whole,
        broken,     // the sender closed or failed within, or what it sent is malformed
        not_taken,  // the receiver takes no more, or the ceiling let only a part pass
    };

    awaitable<void> serve();
    awaitable<result<forwarding>> read_request();
    std::optional<denial> find_denial() const;
    awaitable<bool> reach();
    awaitable<bool> begin_tunnel();
    awaitable<result<std::optional<denial>>> read_hello();
    awaitable<void> refuse(int status, failure why);
    awaitable<void> deny(denial why);
    void count_denied(denial why);

    // Both ways, in tasks of their own.
    void carry();
    awaitable<void> carry_tunnel(direction which);
    awaitable<void> carry_request();
    awaitable<void> carry_answer();
    awaitable<std::optional<body_length>> carry_answer_head();
    awaitable<ending> carry_body(direction which, body_length length, bool in_chunks);
    awaitable<bool> pass(direction which, std::string_view bytes);
    void end_tunnel(direction which, bool whole);
    awaitable<void> wait_for_departure();
    void watch_idle();

    std::shared_ptr<shared_state> shared_;
    socket client_;
    socket server_;
    bool over_limit_;
    bool closed_ = false;
    bool denied_ = false;
    bool hides_name_ = false;  // a tunnel with an encrypted ClientHello
    bool carries_ = false;
    int open_directions_ = 2;  // of a tunnel
    std::optional<forwarding> asked_;
    std::string from_client_;  // read, and not yet carried
    std::string from_server_;
    asio::steady_timer idle_;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace gateway::egress
