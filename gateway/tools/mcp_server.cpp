#include "gateway/tools/mcp_server.hpp"

#include <algorithm>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/base/thread_pool.hpp"

namespace gateway::tools {
namespace {

constexpr int max_pages = 100;
constexpr std::size_t max_tools = 5'000;

using clock = std::chrono::steady_clock;

milliseconds until(clock::time_point end) {
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(end - clock::now()));
}

failure from_answer(const char* method, const mcp_answer& answer) {
    return {errc::tool_failed, std::string("its MCP server refused ") + method + ": " + answer.error};
}

}  // namespace

mcp_server::mcp_server(executor ex, std::string name, transport_factory make_transport, asio::thread_pool& decoders,
                       limits bounds, tools_listener on_tools)
    : ex_(ex),
      name_(std::move(name)),
      make_transport_(std::move(make_transport)),
      decoders_(decoders),
      limits_(bounds),
      on_tools_(std::move(on_tools)),
      changed_(ex),
      tasks_(ex) {}

void mcp_server::start() { tasks_.spawn("MCP server of toolkit " + name_, live()); }

std::shared_ptr<mcp_peer> mcp_server::make_peer() {
    return std::make_shared<mcp_peer>(ex_, make_transport_(), decoders_, [this] { on_tools_changed(); });
}

// One life: from launch until nothing of it is left.
awaitable<void> mcp_server::live() {
    auto peer = make_peer();
    auto opened = peer->open();
    failure why;
    if (opened) {
        peer_ = peer;
        tasks_.spawn("handshake of toolkit " + name_, handshake(peer));
        why = co_await peer->run();
        peer_.reset();
    } else {
        why = opened.error();
    }
    bool stopped = fsm_.state() == server_state::stopped;
    if (!stopped) log::warning("toolkit {}: MCP server failed: {}", name_, why.message);
    co_await peer->close(!stopped);
    if (fsm_.on_failed(clock::now(), why.message) == server_action::start) start();
    changed_.notify_all();
}

awaitable<void> mcp_server::handshake(std::shared_ptr<mcp_peer> peer) {
    auto known = co_await introduce(peer);
    if (!known) co_return peer->interrupt(known.error());
    std::vector<tool> tools;
    if (known->has_tools) {
        auto listed = co_await read_tools(peer);
        if (!listed) co_return peer->interrupt(listed.error());
        tools = std::move(*listed);
    }
    log::info("toolkit {}: {} {} speaks MCP {} and has {} tools", name_, known->name, known->version, known->protocol,
              tools.size());
    if (peer != peer_) co_return;
    on_tools_(std::move(tools));
    fsm_.on_started();
    changed_.notify_all();
}

awaitable<result<server_info>> mcp_server::introduce(std::shared_ptr<mcp_peer> peer) {
    auto answer = co_await peer->request("initialize", initialize_params(), limits_.start);
    if (!answer) co_return answer.error();
    if (!answer->result) co_return from_answer("initialize", *answer);
    auto info = read_initialize(*answer->result);
    if (!info) co_return info.error();
    peer->on_initialized(info->protocol);
    peer->notify("notifications/initialized", "{}");
    co_return info;
}

awaitable<result<std::vector<tool>>> mcp_server::read_tools(std::shared_ptr<mcp_peer> peer) {
    std::vector<tool> tools;
    std::string cursor;
    for (int page = 0; page < max_pages && tools.size() < max_tools; ++page) {
        auto answer = co_await peer->request("tools/list", list_params(cursor), limits_.start);
        if (!answer) co_return answer.error();
        if (!answer->result) co_return from_answer("tools/list", *answer);
        auto read = read_tool_page(*answer->result);
        std::move(read.tools.begin(), read.tools.end(), std::back_inserter(tools));
        cursor = std::move(read.next_cursor);
        if (cursor.empty()) co_return tools;
    }
    log::warning("toolkit {}: its list of tools does not end; the first {} are used", name_, tools.size());
    co_return tools;
}

void mcp_server::on_tools_changed() {
    if (refreshing_) {
        refresh_again_ = true;
    } else if (peer_ && fsm_.state() == server_state::ready) {
        tasks_.spawn("tools of toolkit " + name_, refresh(peer_));
    }
}

awaitable<void> mcp_server::refresh(std::shared_ptr<mcp_peer> peer) {
    refreshing_ = true;
    do {
        refresh_again_ = false;
        auto tools = co_await read_tools(peer);
        if (tools && peer == peer_) on_tools_(std::move(*tools));
        if (!tools)
            log::warning("toolkit {}: its list of tools cannot be read again: {}", name_, tools.error().message);
    } while (refresh_again_ && !peer->is_over());
    refreshing_ = false;
}

awaitable<result<void>> mcp_server::ready(time deadline) {
    auto action = fsm_.on_wanted(clock::now());
    if (action == server_action::refuse) co_return resting();
    if (action == server_action::start) start();
    while (fsm_.state() != server_state::ready || !peer_ || peer_->is_over()) {
        if (fsm_.state() == server_state::resting || fsm_.state() == server_state::stopped) co_return resting();
        if (until(deadline).count() == 0)
            co_return failure{errc::timeout, "toolkit " + name_ + ": its MCP server is still starting; try again"};
        co_await changed_.wait_for(until(deadline));
    }
    co_return result<void>{};
}

awaitable<result<tool_answer>> mcp_server::call(std::string tool_name, std::string arguments, time deadline) {
    for (bool is_first = true;; is_first = false) {
        auto is_ready = co_await ready(deadline);
        if (!is_ready) co_return is_ready.error();
        auto peer = peer_;
        auto answer = co_await peer->request("tools/call", call_params(tool_name, arguments), until(deadline));
        if (answer) {
            fsm_.on_answered();
            if (answer->result) co_return co_await read_result(std::move(*answer));
            auto code = answer->error_code == rpc_invalid_params ? errc::invalid_request : errc::tool_failed;
            co_return failure{code, answer->error};
        }
        if (answer.error().code == errc::unavailable && is_first) continue;  // it has not seen the call
        if (answer.error().code == errc::timeout && !probing_) tasks_.spawn("ping to " + name_, probe(peer));
        co_return explain(answer.error(), peer->is_over());
    }
}

awaitable<tool_answer> mcp_server::read_result(mcp_answer from) {
    if (!from.is_large) co_return read_call(*from.result);
    auto read = [&from] { return read_call(*from.result); };
    co_return co_await run_on(decoders_, std::move(read));
}

// A tool may be slow: only a server that does not answer a ping either is taken for dead.
awaitable<void> mcp_server::probe(std::shared_ptr<mcp_peer> peer) {
    probing_ = true;
    auto answer = co_await peer->request("ping", "{}", limits_.ping);
    probing_ = false;
    if (!answer) peer->interrupt({errc::tool_failed, "it hung: neither a call nor a ping was answered in time"});
}

failure mcp_server::explain(const failure& why, bool is_over) const {
    bool has_failed = why.code == errc::tool_failed && is_over && fsm_.state() != server_state::stopped;
    auto text = "toolkit " + name_ + (has_failed ? ": its MCP server failed: " : ": ") + why.message;
    if (why.code == errc::timeout)
        text += " (timeout_s in [tools.toolkits." + name_ + "], or tools.timeout_s); the server was told to stop";
    if (why.code == errc::too_large) text += " (tools.max_result_bytes); ask the tool for less";
    if (has_failed) text += ". That was during this call, which may have had its effect; the server is started again";
    return {why.code, std::move(text)};
}

failure mcp_server::resting() const {
    if (fsm_.state() == server_state::stopped)
        return {errc::unavailable, "toolkit " + name_ + ": the gateway is stopping"};
    auto left = std::chrono::duration_cast<std::chrono::seconds>(fsm_.retry_at() - clock::now()).count() + 1;
    return {errc::unavailable, "toolkit " + name_ + ": its MCP server failed: " + fsm_.reason() +
                                   ". It is started again by a call in " + std::to_string(std::max<long>(left, 0)) +
                                   " s or later; the gateway's log has more"};
}

awaitable<void> mcp_server::stop() {
    fsm_.on_stop();
    changed_.notify_all();
    if (peer_) peer_->interrupt({errc::unavailable, "the gateway is stopping"});
    co_await tasks_.join();
}

}  // namespace gateway::tools
