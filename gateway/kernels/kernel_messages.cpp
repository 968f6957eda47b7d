#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/kernels/kernel_implementation.hpp"
#include "gateway/kernels/own_messages.hpp"

namespace gateway::kernels {
namespace {

using messaging::channel;

constexpr std::size_t logged_characters = 500;
constexpr const char* no_parent = "{}";

bool has_type(const messaging::message& what, const char* quoted_type) {
    return what.header.find(quoted_type) != std::string::npos;
}

bool is_stderr(const messaging::message& what) { return what.content.find("\"stderr\"") != std::string::npos; }

// What an XPUB kernel sends to all subscribers when one joins: of no use to a client.
bool is_welcome(const messaging::message& what) {
    return what.where == channel::iopub && what.parent_header == no_parent && has_type(what, "\"iopub_welcome\"");
}

// What a program prints or shows while the kernel works on a request of ours that runs no code (at exit, from a
// thread): nobody's cell, but everybody's output.
bool is_output(const messaging::header_fields& header, const messaging::header_fields& parent) {
    static constexpr std::array<std::string_view, 6> types = {"stream", "display_data", "update_display_data",
                                                              "error",  "clear_output", "execute_result"};
    return parent.msg_type != "execute_request" &&
           std::find(types.begin(), types.end(), header.msg_type) != types.end();
}

}  // namespace

void kernel::implementation::take(messaging::message what) {
    auto self = shared_from_this();
    ++messages_seen;
    if (what.parent_header == "null") what.parent_header = no_parent;  // xeus, when there is none
    auto first_iopub = what.where == channel::iopub && !std::exchange(iopub_was_seen, true);
    if (what.where == channel::iopub && !session_is_known) learn_session(what);
    // The session id is random and known to the kernel only: a search is as good as parsing every parent header.
    auto own = what.parent_header.find(own_session) != std::string::npos;
    auto executed = !own && !executed_was_told && what.where == channel::shell && has_type(what, "\"execute_reply\"");
    if (own)
        take_own(std::move(what));
    else if (!is_welcome(what))
        listener->on_message(std::make_shared<const messaging::message>(std::move(what)));
    if (first_iopub) feed({lifecycle_event::iopub_seen});
    if (executed) {
        executed_was_told = true;
        feed({lifecycle_event::executed});
    }
}

// A welcome may come without one.
void kernel::implementation::learn_session(const messaging::message& what) {
    auto header = messaging::parse_header(what.header);
    if (!header || header->session.empty()) return;
    kernel_session = header->session;
    session_is_known = true;
}

void kernel::implementation::take_own(messaging::message what) {
    auto header = messaging::parse_header(what.header);
    auto parent = messaging::parse_header(what.parent_header);
    if (!header || !parent) return;
    if (header->msg_type == "stream" && parent->msg_id == injection_id && is_stderr(what))
        log::warning("kernel {}: cellgate_kernel was not installed: {}", options.id,
                     stream_text(what.content).substr(0, logged_characters));
    if (what.where == channel::iopub) {
        if (is_output(*header, *parent))
            listener->on_message(std::make_shared<const messaging::message>(std::move(what)));
        return;
    }
    if (header->msg_type == "kernel_info_reply") {
        info_reply = what.content;
        feed({lifecycle_event::probe_answered});
    } else if (parent->msg_id == injection_id) {
        auto error = reply_error(what.content);
        if (!error.empty()) log::warning("kernel {}: the injected code failed: {}", options.id, error);
        feed({lifecycle_event::injected});
    }
    auto waiting = asked.find(parent->msg_id);
    if (waiting == asked.end()) return;
    waiting->second = what;
    changed.notify_all();
}

void kernel::implementation::send_own(const messaging::message& what) {
    if (!sockets) return;
    auto sent = sockets->send(what);
    if (!sent) log::error("kernel {}: cannot send: {}", options.id, sent.error().message());
}

}  // namespace gateway::kernels
