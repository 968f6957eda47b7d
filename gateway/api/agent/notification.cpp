#include "gateway/api/agent/notification.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gateway/api/agent/cell_entries.hpp"
#include "gateway/api/agent/json_text.hpp"
#include "gateway/api/agent/mime.hpp"
#include "gateway/base/base64.hpp"
#include "gateway/sessions/json_reading.hpp"
#include "messaging/json_string.hpp"
#include "messaging/utf8.hpp"

namespace gateway::api::agent {
namespace {

using sessions::entry;
using sessions::entry_kind;

std::string head_of_call(const std::string& method, std::uint64_t seq) {
    return fmt::format(R"({{"jsonrpc":"2.0","method":{},"params":{{"seq":{})", messaging::quote(method), seq);
}

// The members of an object, to go on after others: ",a:1}" of "{a:1}", or "}" of "{}".
std::string_view members_of(std::string_view object) {
    object.remove_prefix(object.find('{') + 1);
    while (!object.empty() && static_cast<unsigned char>(object.front()) <= ' ') object.remove_prefix(1);
    return object;
}

void set_members(notification& to, std::string_view object) {
    auto members = members_of(object);
    if (members != "}") to.head += ",";
    to.middle = members;
}

std::string cell_member(const entry& from) {
    return ",\"cell_id\":" + (from.cell_id.empty() ? std::string("null") : messaging::quote(from.cell_id));
}

std::string buffers_member(const messaging::message& from) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& each : from.buffers) all.push_back(to_base64(each));
    return ",\"buffers\":" + all.dump();
}

bool can_be_passed_on(const std::string& content) {
    return messaging::is_object(content) && messaging::is_utf8(content);
}

void set_content(notification& to, const messaging::message& from) {
    if (!from.buffers.empty()) to.head += buffers_member(from);
    if (can_be_passed_on(from.content)) {
        set_members(to, from.content);
        return;
    }
    auto mended = dump(sessions::parse_object(from.content));
    auto members = members_of(mended);
    to.tail = (members == "}" ? "" : ",") + std::string(members);
}

}  // namespace

bool is_for_agents(const entry& what) {
    switch (what.kind) {
        case entry_kind::event:
        case entry_kind::gap:
            return true;
        case entry_kind::message:
            break;
    }
    if (what.message->where == messaging::channel::stdin_channel) return what.type == "input_request";
    return what.message->where == messaging::channel::iopub && what.client.empty() && is_output(what.type);
}

std::vector<boost::asio::const_buffer> notification::parts() const {
    std::vector<boost::asio::const_buffer> all;
    all.emplace_back(head.data(), head.size());
    if (!middle.empty()) all.emplace_back(middle.data(), middle.size());
    all.emplace_back(tail.data(), tail.size());
    return all;
}

std::string notification::text() const { return head + std::string(middle) + tail; }

notification make_notification(sessions::shared_entry what) {
    notification made;
    made.owner = what;
    if (what->kind == entry_kind::gap) {
        made.head =
            head_of_call("gap", what->seq) + fmt::format(R"(,"from":{},"to":{}}}}})", what->gap_from, what->seq);
        return made;
    }
    if (what->kind == entry_kind::event) {
        made.head = head_of_call(what->type, what->seq);
        set_members(made, what->body);
        made.tail = "}";
        return made;
    }
    bool is_prompt = what->type == "input_request";
    made.head = head_of_call(is_prompt ? "input_request" : "output", what->seq) + cell_member(*what);
    if (!is_prompt) made.head += ",\"type\":" + messaging::quote(what->type);
    set_content(made, *what->message);
    made.tail += "}";
    return made;
}

}  // namespace gateway::api::agent
