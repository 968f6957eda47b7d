#include "kernel/server/outgoing.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "messaging/json_string.hpp"

namespace kernel {
namespace {

constexpr std::string_view json_blanks = " \t\r\n";

std::string_view name_of(output_stream which) { return which == output_stream::out ? "stdout" : "stderr"; }

}  // namespace

std::string with_number(std::string metadata, std::uint64_t number) {
    auto member = "\"cellgate_seq\":" + std::to_string(number) + "}";
    auto first = metadata.find_first_not_of(json_blanks);
    auto end = metadata.find_last_not_of(json_blanks);
    if (first == std::string::npos || first == end || metadata[first] != '{' || metadata[end] != '}')
        return "{" + member;
    // Behind the others: of a repeated name the last counts.
    bool is_empty = metadata.find_first_not_of(json_blanks, first + 1) == end;
    metadata.resize(end);
    return std::move(metadata) + (is_empty ? "" : ",") + member;
}

std::string with_resent(std::string_view metadata, std::uint64_t count) {
    auto end = metadata.rfind('}');
    return std::string(metadata.substr(0, end)) + ",\"cellgate_resent\":" + std::to_string(count) + "}";
}

output_encoder::output_encoder(messaging::signer& keys, const std::string& session) : keys_(keys), session_(session) {}

shared_encoded output_encoder::encode(output what) {
    auto* text = std::get_if<stream_text>(&what);
    auto made = text ? make(*text) : std::get<messaging::message>(std::move(what));
    auto number = ++last_number_;
    made.metadata = with_number(std::move(made.metadata), number);
    return share(messaging::encode_wire(std::move(made), keys_), number);
}

shared_encoded output_encoder::encode(messaging::message reply) {
    return share(messaging::encode_wire(std::move(reply), keys_));
}

shared_encoded output_encoder::encode_again(const encoded_message& made, std::vector<std::string> to) {
    auto parts = messaging::find_signed_parts(made.parts).value();
    auto mark = std::find(made.parts.begin(), made.parts.end(), messaging::delimiter);
    messaging::message again;
    again.where = messaging::channel::control;
    again.identities = std::move(to);
    again.header = parts[0];
    again.parent_header = parts[1];
    again.metadata = with_resent(parts[2], ++resent_);
    again.content = parts[3];
    // Behind the delimiter and the signature.
    again.buffers.assign(mark + 2 + static_cast<std::ptrdiff_t>(parts.size()), made.parts.end());
    return share(messaging::encode_wire(std::move(again), keys_), made.number);
}

shared_encoded output_encoder::welcome(std::string_view topic) {
    auto made = make("iopub_welcome", std::string(topic), "{\"subscription\":" + messaging::quote(topic) + "}");
    // Who subscribed to everything needs no topic.
    if (topic.empty()) made.identities.clear();
    return share(messaging::encode_wire(std::move(made), keys_));
}

messaging::message output_encoder::make(std::string_view msg_type, std::string topic, std::string content) const {
    messaging::message made;
    made.where = messaging::channel::iopub;
    made.identities.push_back(std::move(topic));
    made.header = messaging::make_header(msg_type, session_, {}, "cellgate", protocol_version);
    made.content = std::move(content);
    return made;
}

messaging::message output_encoder::make(const stream_text& text) const {
    std::string name(name_of(text.which));
    auto content = "{\"name\":\"" + name + "\",\"text\":" + messaging::quote(text.text) + "}";
    auto made = make("stream", "stream." + name, std::move(content));
    if (text.parent && !text.parent->empty()) made.parent_header = *text.parent;
    return made;
}

}  // namespace kernel
