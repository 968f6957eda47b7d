#include "gateway/api/composio/mcp_call.hpp"

#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "gateway/api/composio/json_reading.hpp"
#include "gateway/api/composio/mcp_message.hpp"
#include "gateway/base/log.hpp"

namespace gateway::api::composio {
namespace {

constexpr std::size_t most_message_bytes = 200;

std::string event_of(const std::string& message) { return "event: message\ndata: " + message + "\n\n"; }

// The last line that a cell has written, or what becomes of it.
std::string state_of(const mcp_call& call) {
    if (!call.session) return "running";
    auto cell = call.session->find_cell((*call.watch)->cell_id);
    if (!cell) return "waiting";
    std::string_view text = cell->out.head;
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    if (text.empty() || !cell->out.file.empty()) return to_string(cell->status);
    if (auto line = text.rfind('\n'); line != text.npos) text.remove_prefix(line + 1);
    return std::string(text.substr(0, most_message_bytes));
}

class call_stream {
  public:
    call_stream(shared_mcp_call of, mcp_pace pace, mcp_calls& among)
        : call_(std::move(of)), pace_(pace), among_(among) {}
    call_stream(const call_stream&) = delete;
    call_stream& operator=(const call_stream&) = delete;
    ~call_stream() {
        if (!done_ && call_->ends_with_client) among_.abandon(*call_);
    }

    awaitable<std::optional<std::string>> next() {
        std::optional<std::string> piece;
        if (done_) {
            call_->watch->delivered();
            co_return piece;
        }
        auto& which = **call_->watch;
        if (!which.has_ended())
            co_await which.wait_for(call_->progress_token.empty() ? pace_.keep_alive : pace_.progress);
        if (which.has_ended()) {
            done_ = true;
            // An empty piece is passed over: the stream then ends.
            piece = call_->cancelled ? std::string() : event_of(answer(which.outcome()));
        } else {
            piece = call_->progress_token.empty() ? ": waiting\n\n" : event_of(progress());
        }
        co_return piece;
    }

  private:
    std::string answer(const tool_outcome& outcome) const {
        if (outcome.refused && outcome.refused->code == errc::not_found)
            return rpc_error(call_->id, rpc_invalid_params, outcome.error);
        return rpc_result(call_->id, call_result(outcome, call_->form));
    }

    // Seconds rise; what they lead to is not known.
    std::string progress() const {
        const auto spent = std::chrono::steady_clock::now() - began_;
        return rpc_notification("notifications/progress", {{"progressToken", json::parse(call_->progress_token)},
                                                           {"progress", std::chrono::duration<double>(spent).count()},
                                                           {"message", state_of(*call_)}});
    }

    shared_mcp_call call_;
    mcp_pace pace_;
    mcp_calls& among_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    bool done_ = false;
};

std::string name_of(const std::string& client, const std::string& id) { return client + "\n" + id; }

}  // namespace

http::body_source mcp_stream(shared_mcp_call of, mcp_pace pace, mcp_calls& among) {
    auto made = std::make_shared<call_stream>(std::move(of), pace, among);
    return [made] { return made->next(); };
}

void mcp_calls::add(const std::string& client, const shared_mcp_call& call) {
    std::erase_if(calls_, [](const auto& each) { return each.second.what->has_ended(); });
    calls_[name_of(client, call->id)] = entry{call, call->session, call->watch->what()};
}

awaitable<void> mcp_calls::cancel(std::string client, std::string id) {
    auto found = calls_.find(name_of(client, id));
    if (found == calls_.end() || found->second.what->has_ended()) co_return;
    auto which = found->second;
    if (auto call = which.call.lock()) call->cancelled = true;
    co_await end(which.session, which.what);
}

void mcp_calls::abandon(const mcp_call& call) {
    if ((*call.watch)->has_ended()) return;
    cancels_.spawn("end of an abandoned call", end(call.session, call.watch->what()));
}

awaitable<void> mcp_calls::stop() { co_await cancels_.join(); }

awaitable<void> mcp_calls::end(shared_session session, std::shared_ptr<run> what) {
    if (session && !what->command_id.empty()) {
        auto told = session->commands().signal(what->command_id, SIGTERM);
        if (!told) log::debug("cancel of {}: {}", what->command_id, told.error().message);
        co_return;
    }
    if (what->cell_id.empty() || !session) {
        what->cancel();
        co_return;
    }
    auto done = co_await session->cancel(what->cell_id);
    if (!done) log::debug("cancel of {}: {}", what->cell_id, done.error().message);
}

}  // namespace gateway::api::composio
