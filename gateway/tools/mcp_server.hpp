// One toolkit's MCP server over its lives: started when it is needed, asked for its tools, called, started again when
// it died or hung. Owned by the toolbox, stopped before it goes; io thread.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/tools/mcp_content.hpp"
#include "gateway/tools/mcp_peer.hpp"
#include "gateway/tools/server_fsm.hpp"

namespace gateway::tools {

class mcp_server {
  public:
    using time = std::chrono::steady_clock::time_point;
    using transport_factory = std::function<std::unique_ptr<transport>()>;
    using tools_listener = std::function<void(std::vector<tool>)>;

    struct limits {
        milliseconds start{60'000};  // from launch to the first list of tools
        milliseconds ping{5'000};    // a server that took too long for a call and then for this hangs
    };

    // `on_tools` gets the server's list, all of it, each time it is read. `decoders` outlives the server.
    mcp_server(executor ex, std::string name, transport_factory make_transport, asio::thread_pool& decoders,
               limits bounds, tools_listener on_tools);

    const std::string& name() const { return name_; }
    server_state state() const { return fsm_.state(); }
    // Starts the server if need be, and waits until its tools are known.
    awaitable<result<void>> ready(time deadline);
    // `arguments` is a JSON object. A failure's message is for the caller, and begins with the toolkit.
    awaitable<result<tool_answer>> call(std::string tool_name, std::string arguments, time deadline);
    awaitable<void> stop();

  private:
    awaitable<void> live();
    awaitable<void> handshake(std::shared_ptr<mcp_peer> peer);
    awaitable<result<server_info>> introduce(std::shared_ptr<mcp_peer> peer);
    awaitable<result<std::vector<tool>>> read_tools(std::shared_ptr<mcp_peer> peer);
    awaitable<void> refresh(std::shared_ptr<mcp_peer> peer);
    awaitable<tool_answer> read_result(mcp_answer from);
    awaitable<void> probe(std::shared_ptr<mcp_peer> peer);
    std::shared_ptr<mcp_peer> make_peer();
    void on_tools_changed();
    void start();
    failure explain(const failure& why, bool is_over) const;
    failure resting() const;

    executor ex_;
    std::string name_;
    transport_factory make_transport_;
    asio::thread_pool& decoders_;
    limits limits_;
    tools_listener on_tools_;
    server_fsm fsm_;
    event changed_;
    std::shared_ptr<mcp_peer> peer_;
    bool refreshing_ = false;
    bool refresh_again_ = false;
    bool probing_ = false;
    task_group tasks_;
};

}  // namespace gateway::tools
