// One connection to an MCP server: requests find their answers, the server's own requests get theirs. Owned by its
// mcp_server and by the calls that wait on it; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gateway/base/async.hpp"
#include "gateway/tools/mcp_message.hpp"
#include "gateway/tools/transport.hpp"

namespace gateway::tools {

struct mcp_answer {
    shared_json result;  // null when the server answered with an error
    int error_code = 0;
    std::string error;
    bool is_large = false;  // to be worked on in the pool
};

inline constexpr std::size_t large_message_bytes = 1u << 20;

class mcp_peer final : public transport_listener {
  public:
    // `decoders`, which takes large messages, outlives the peer. `on_tools_changed` is called from the io thread.
    mcp_peer(executor ex, std::unique_ptr<transport> over, asio::thread_pool& decoders,
             std::function<void()> on_tools_changed);

    result<void> open() { return transport_->open(*this); }
    // Reads until the server is gone; then every request that waits has failed with the reason.
    awaitable<failure> run();
    // run() returns soon, with this reason.
    void interrupt(failure why);
    bool is_over() const { return over_.has_value(); }
    awaitable<void> close(bool at_once);

    // The server's answer, whatever it says. unavailable: the server has not seen the request; timeout and cancelled:
    // the server was told; tool_failed: it is gone, and may have acted; too_large.
    awaitable<result<mcp_answer>> request(std::string method, std::string params, milliseconds limit);
    void notify(std::string method, std::string params);
    void on_initialized(const std::string& protocol) { transport_->on_initialized(protocol); }

    awaitable<void> on_text(std::string text, std::optional<std::uint64_t> asked) override;
    void on_lost(std::uint64_t number, failure why) override;
    bool is_waiting(std::uint64_t number) const override;

  private:
    struct waiter;
    class registration;

    void handle(mcp_message message, bool is_large, std::optional<std::uint64_t> asked);
    void fail_all(const failure& why);
    void answer_request(const mcp_message& message);
    void complete(std::uint64_t number, result<mcp_answer> with);
    void abandon(std::uint64_t number, const char* why);
    void post(std::string message);
    awaitable<void> deliver(std::uint64_t number, std::string message, milliseconds limit);
    awaitable<void> deliver_message(std::string message);

    executor ex_;
    std::unique_ptr<transport> transport_;
    asio::thread_pool& decoders_;
    std::function<void()> on_tools_changed_;
    std::map<std::uint64_t, std::shared_ptr<waiter>> waiting_;
    std::uint64_t last_number_ = 0;
    std::optional<failure> over_;
    task_group tasks_;
};

}  // namespace gateway::tools
