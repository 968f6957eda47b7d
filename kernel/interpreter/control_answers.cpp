#include "kernel/interpreter/control_answers.hpp"

#include <charconv>
#include <map>

#include "kernel/interpreter/kernel_process.hpp"
#include "kernel/interpreter/replies.hpp"
#include "kernel/interpreter/request_dispatcher.hpp"
#include "messaging/json_members.hpp"
#include "messaging/json_string.hpp"

namespace kernel {
namespace {

using messaging::message;

constexpr const char* ok = R"({"status":"ok"})";

std::string not_on_control() {
    return error_content("NotImplementedError", "the control channel does not take this request: send it on shell");
}

std::string interrupt(kernel_process& owner, const message& request) {
    auto header = messaging::parse_header(request.header);
    if (owner.interrupt(header ? header->subshell_id : "")) return ok;
    return error_content("KeyError", "there is no subshell of this id to interrupt");
}

std::string shut_down(kernel_process& owner, const message& request) {
    auto restart = messaging::json_members(request.content).is_true("restart");
    owner.ask_to_end(restart);
    return std::string(R"({"status":"ok","restart":)") + (restart ? "true}" : "false}");
}

std::string create_subshell(kernel_process& owner, const message&) {
    return R"({"status":"ok","subshell_id":)" + messaging::quote(owner.add_subshell()) + "}";
}

std::string delete_subshell(kernel_process& owner, const message& request) {
    auto id = messaging::json_members(request.content).text("subshell_id");
    if (owner.remove_subshell(id)) return ok;
    return error_content("KeyError", "there is no subshell \"" + id + "\"");
}

std::string list_subshells(kernel_process& owner, const message&) {
    std::string ids;
    for (const auto& each : owner.shells().list()) ids += (ids.empty() ? "" : ",") + messaging::quote(each);
    return R"({"status":"ok","subshell_id":[)" + ids + "]}";
}

// Empty: it has replied.
std::string resend(kernel_process& owner, const message& request) {
    auto given = messaging::json_members(request.content).value("after");
    std::uint64_t after = 0;
    auto [end, error] = std::from_chars(given.begin(), given.end(), after);
    if (given.empty() || error != std::errc() || end != given.end())
        return error_content("ValueError", "after must be the cellgate_seq of the last message that arrived, or 0");
    // What is sent again may have this request as its parent too: the reply comes first, for who takes it for one.
    owner.server().resend(after, request.identities, [&](const kernel_server::resent& kept) {
        auto content =
            R"({"status":"ok","first":)" + std::to_string(kept.first) + ",\"last\":" + std::to_string(kept.last) + "}";
        owner.server().send(make_reply(request, "resend_reply", owner.session(), std::move(content)));
    });
    return "";
}

using handler = std::string (*)(kernel_process&, const message&);

const std::map<std::string, handler>& handlers() {
    static const std::map<std::string, handler> all = {{"interrupt_request", interrupt},
                                                       {"shutdown_request", shut_down},
                                                       {"create_subshell_request", create_subshell},
                                                       {"delete_subshell_request", delete_subshell},
                                                       {"list_subshell_request", list_subshells},
                                                       {"resend_request", resend}};
    return all;
}

}  // namespace

bool control_answers::knows(const std::string& type) {
    return handlers().contains(type) || request_dispatcher::is_for_xeus(type);
}

std::string control_answers::execute(const cell&) { return not_on_control(); }
std::string control_answers::complete(const std::string&, int) { return not_on_control(); }
std::string control_answers::inspect(const std::string&, int, int) { return not_on_control(); }
std::string control_answers::is_complete(const std::string&) { return not_on_control(); }
std::string control_answers::history(const std::string&) { return not_on_control(); }
std::string control_answers::info() { return owner_.info(); }

std::optional<std::string> control_answers::handle(const std::string& type, const message& request) {
    auto found = handlers().find(type);
    auto content = found == handlers().end() ? not_on_control() : found->second(owner_, request);
    if (content.empty()) return std::nullopt;
    return content;
}

}  // namespace kernel
