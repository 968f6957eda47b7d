#include "kernel/interpreter/request_dispatcher.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <xeus/xhelper.hpp>
#include <xeus/xinterpreter.hpp>
#include <xeus/xkernel.hpp>
#include <xeus/xserver.hpp>

#include "kernel/interpreter/replies.hpp"
#include "kernel/interpreter/request_content.hpp"
#include "messaging/json_members.hpp"
#include "messaging/json_string.hpp"

namespace kernel {
namespace {

using json = nlohmann::json;

// What xeus 2.4 dispatches as the specification says. The other requests (comms, the debugger, subshells) go past it:
// its comm manager knows targets of C++ only, and it has no subshells.
constexpr std::array through_xeus = {"execute_request",     "complete_request", "inspect_request",
                                     "is_complete_request", "history_request",  "kernel_info_request"};

// What xeus's server and interpreter share with the dispatcher. xeus carries JSON as a tree; contents of replies stay
// the text that Python wrote, and are put in place of the tree when the reply is sent.
struct current_request {
    kernel_server& server;
    answers& who;
    shell_queue& queue;
    std::string session;
    const messaging::message* request = nullptr;
    std::string content = {};  // of the reply, from the interpreter
    bool replied = false;

    json keep(std::string reply) {
        content = std::move(reply);
        return {{"status", messaging::json_members(content).text("status")}};
    }
    void reply(const std::string& type, std::string with) {
        // What the cell's subprocesses wrote comes before the answer that ends it.
        server.drain_captured();
        server.flush();
        server.send(make_reply(*request, type, session, std::move(with)));
        replied = true;
    }
    void publish_status(std::string_view state) { server.publish(make_status(*request, session, state)); }
};

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

class no_messenger final : public xeus::xcontrol_messenger {
    json send_to_shell_impl(const json&) override { return json::object(); }
};

class server_adapter final : public xeus::xserver {
  public:
    explicit server_adapter(current_request& current) : current_(current) {}
    void deliver(xeus::xmessage what) { notify_shell_listener(std::move(what)); }

  private:
    xeus::xcontrol_messenger& get_control_messenger_impl() override { return messenger_; }

    void send_shell_impl(xeus::xmessage what) override {
        auto content = std::exchange(current_.content, {});
        if (content.empty()) content = text_of(what.content());
        current_.reply(what.header().value("msg_type", ""), std::move(content));
    }
    void send_control_impl(xeus::xmessage what) override { send_shell_impl(std::move(what)); }
    void send_stdin_impl(xeus::xmessage) override {}

    void publish_impl(xeus::xpub_message what, xeus::channel) override {
        auto type = what.header().value("msg_type", "");
        auto content = what.content();
        // xeus counts every cell that is not silent, IPython those that are stored.
        if (type == "execute_input") content["execution_count"] = current_.who.next_count();
        current_.server.publish(make_publication(current_.request->header, type, current_.session, text_of(content)));
    }
    void start_impl(xeus::xpub_message) override {}

    // xeus would wait for messages that may still come, and drop requests of every kind.
    void abort_queue_impl(const listener&, long) override {
        const auto* failed = current_.request;
        for (const auto& each : current_.queue.take_executes()) {
            current_.request = &each;
            current_.publish_status("busy");
            current_.reply("execute_reply", aborted_content());
            current_.publish_status("idle");
        }
        current_.request = failed;
    }
    void stop_impl() override {}
    void update_config_impl(xeus::xconfiguration&) const override {}

    current_request& current_;
    no_messenger messenger_;
};

class interpreter_adapter final : public xeus::xinterpreter {
  public:
    explicit interpreter_adapter(current_request& current) : current_(current) {}

  private:
    void configure_impl() override {}
    json execute_request_impl(int, const std::string& code, bool silent, bool store_history, json user_expressions,
                              bool allow_stdin) override {
        return current_.keep(
            current_.who.execute({code, silent, store_history, text_of(user_expressions), allow_stdin}));
    }
    json complete_request_impl(const std::string& code, int cursor_position) override {
        return current_.keep(current_.who.complete(code, cursor_position));
    }
    json inspect_request_impl(const std::string& code, int cursor_position, int detail_level) override {
        return current_.keep(current_.who.inspect(code, cursor_position, detail_level));
    }
    json is_complete_request_impl(const std::string& code) override {
        return current_.keep(current_.who.is_complete(code));
    }
    json kernel_info_request_impl() override { return current_.keep(current_.who.info()); }
    void shutdown_request_impl() override {}

    current_request& current_;
};

// History is IPython's: the whole request goes there, whichever of these xeus calls for it.
class history_adapter final : public xeus::xhistory_manager {
  public:
    explicit history_adapter(current_request& current) : current_(current) {}

  private:
    json answer() const { return current_.keep(current_.who.history(current_.request->content)); }

    void configure_impl() override {}
    void store_inputs_impl(int, int, const std::string&, const std::string&) override {}
    json get_tail_impl(int, bool, bool) const override { return answer(); }
    json get_range_impl(int, int, int, bool, bool) const override { return answer(); }
    json search_impl(const std::string&, bool, bool, int, bool) const override { return answer(); }

    current_request& current_;
};

// xeus builds its server through a plain function pointer.
thread_local current_request* building = nullptr;

xeus::xkernel::server_ptr build_server(xeus::xcontext&, const xeus::xconfiguration&, json::error_handler_t) {
    return std::make_unique<server_adapter>(*building);
}

// Half characters are legal in JSON and in no text: they become U+FFFD, as anywhere else.
std::string without_lone_surrogates(std::string text) {
    constexpr std::string_view replacement = "\\ufffd";
    for (auto at = messaging::find_lone_surrogate(text); at != std::string::npos;
         at = messaging::find_lone_surrogate(text, at + replacement.size()))
        text.replace(at, replacement.size(), replacement);
    return text;
}

json parse(const std::string& text) {
    auto parsed = json::parse(text, nullptr, false);
    return parsed.is_discarded() ? json::parse(without_lone_surrogates(text), nullptr, false) : parsed;
}

}  // namespace

struct request_dispatcher::implementation {
    implementation(kernel_server& server, answers& who, shell_queue& queue, std::string session)
        : current{server, who, queue, std::move(session)} {
        building = &current;
        xeus_kernel = std::make_unique<xeus::xkernel>(
            xeus::xconfiguration{}, "cellgate", xeus::make_empty_context(),
            std::make_unique<interpreter_adapter>(current), build_server, std::make_unique<history_adapter>(current),
            nullptr, xeus::make_null_debugger, json::object(), json::error_handler_t::replace);
        building = nullptr;
        server_of_xeus = static_cast<server_adapter*>(&xeus_kernel->get_server());
    }

    void through_xeus_kernel(const std::string& type, const messaging::message& request);
    void refuse(const std::string& type, const std::string& why);
    void past_xeus(const std::string& type, const messaging::message& request);

    current_request current;
    std::unique_ptr<xeus::xkernel> xeus_kernel;
    server_adapter* server_of_xeus = nullptr;
};

void request_dispatcher::implementation::through_xeus_kernel(const std::string& type,
                                                             const messaging::message& request) {
    auto content = parse(request.content);
    if (auto wrong = refine_content(type, content); !wrong.empty()) return refuse(type, wrong);
    // The specification's default is true, xeus's is false.
    if (!content.contains("stop_on_error")) content["stop_on_error"] = true;
    server_of_xeus->deliver(xeus::xmessage(request.identities, parse(request.header), json::object(), json::object(),
                                           std::move(content), {}));
}

void request_dispatcher::implementation::refuse(const std::string& type, const std::string& why) {
    current.publish_status("busy");
    current.reply(reply_type(type), error_content("ValueError", why));
    current.publish_status("idle");
}

void request_dispatcher::implementation::past_xeus(const std::string& type, const messaging::message& request) {
    current.publish_status("busy");
    auto content = current.who.handle(type, request);
    if (content) current.reply(reply_type(type), std::move(*content));
    current.publish_status("idle");
}

request_dispatcher::request_dispatcher(kernel_server& server, answers& who, shell_queue& queue, std::string session)
    : implementation_(std::make_unique<implementation>(server, who, queue, std::move(session))) {}

request_dispatcher::~request_dispatcher() = default;

bool request_dispatcher::is_for_xeus(std::string_view type) {
    return std::find(through_xeus.begin(), through_xeus.end(), type) != through_xeus.end();
}

void request_dispatcher::handle(const messaging::message& request) {
    auto& self = *implementation_;
    auto header = messaging::parse_header(request.header);
    if (!header) return;
    self.current.request = &request;
    self.current.replied = false;
    self.current.content.clear();
    self.current.who.enter(request);
    if (is_for_xeus(header->msg_type))
        self.through_xeus_kernel(header->msg_type, request);
    else
        self.past_xeus(header->msg_type, request);
    self.current.who.leave();
    self.current.request = nullptr;
}

}  // namespace kernel
