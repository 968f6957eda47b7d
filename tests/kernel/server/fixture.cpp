#include "tests/kernel/server/fixture.hpp"

#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

#include "messaging/json_members.hpp"
#include "messaging/message.hpp"

namespace kernel {

using messaging::channel;
using messaging::message;

void recording_sink::put(box& into, message what) {
    std::lock_guard held(mutex_);
    into.push_back(std::move(what));
    came_.notify_all();
}

std::optional<message> recording_sink::next(box& from) {
    std::unique_lock held(mutex_);
    if (!came_.wait_for(held, patience, [&] { return !from.empty(); })) return std::nullopt;
    auto first = std::move(from.front());
    from.pop_front();
    return first;
}

namespace {

messaging::signer signer_of(const messaging::connection_info& where) {
    return messaging::signer::make(where.key, where.signature_scheme).value();
}

bool is_readable(zmq::socket_t& socket, std::chrono::milliseconds limit) {
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    return zmq::poll(&item, 1, limit) == 1;
}

messaging::frames read_frames(zmq::socket_t& socket) {
    messaging::frames parts;
    zmq::message_t frame;
    do {
        if (!socket.recv(frame)) throw std::runtime_error("no frame");
        parts.push_back(frame.to_string());
    } while (frame.more());
    return parts;
}

}  // namespace

test_client::test_client(const messaging::connection_info& where, std::string identity, int most_unread,
                         std::string topic)
    : where_(where), keys_(signer_of(where)) {
    for (auto* socket : {&shell_, &control_, &stdin_, &iopub_, &heartbeat_}) {
        socket->set(zmq::sockopt::linger, 0);
        socket->set(zmq::sockopt::rcvhwm, socket == &iopub_ || socket == &control_ ? most_unread : 0);
        socket->set(zmq::sockopt::sndhwm, 0);
    }
    // The kernel's memory should hold what is not read, not the socket between.
    if (most_unread != 0)
        for (auto* socket : {&iopub_, &control_}) socket->set(zmq::sockopt::rcvbuf, 4096);
    for (auto* socket : {&shell_, &control_, &stdin_}) socket->set(zmq::sockopt::routing_id, identity);
    iopub_.set(zmq::sockopt::subscribe, topic);
    shell_.connect(where.endpoint(where.shell_port));
    control_.connect(where.endpoint(where.control_port));
    stdin_.connect(where.endpoint(where.stdin_port));
    iopub_.connect(where.endpoint(where.iopub_port));
    heartbeat_.connect(where.endpoint(where.hb_port));
    welcome_ = next(channel::iopub);
    if (!welcome_ || type_of(*welcome_) != "iopub_welcome") throw std::runtime_error("not welcomed");
}

void test_client::send(channel where, std::string_view msg_type, std::string content) {
    send_frames(where,
                messaging::encode_wire(messaging::make_message(where, msg_type, "client", std::move(content)), keys_));
}

void test_client::send_frames(channel where, const messaging::frames& parts) {
    for (std::size_t index = 0; index < parts.size(); ++index)
        socket_of(where).send(zmq::buffer(parts[index]),
                              index + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

std::optional<message> test_client::next(channel where, std::chrono::milliseconds limit) {
    auto& socket = socket_of(where);
    if (!is_readable(socket, limit)) return std::nullopt;
    auto decoded = messaging::decode_wire(read_frames(socket), where, keys_);
    if (decoded) return std::move(*decoded);
    ADD_FAILURE() << decoded.error().message();
    return std::nullopt;
}

message test_client::next_output() {
    for (;;) {
        auto came = next(channel::iopub);
        if (!came) throw std::runtime_error("no output came");
        if (type_of(*came) != "iopub_welcome") return std::move(*came);
    }
}

std::vector<message> test_client::outputs_until(std::string_view msg_type) {
    std::vector<message> outputs;
    do outputs.push_back(next_output());
    while (type_of(outputs.back()) != msg_type);
    return outputs;
}

std::optional<std::string> test_client::heartbeat(std::string_view ping) {
    heartbeat_.send(zmq::buffer(ping), zmq::send_flags::none);
    if (!is_readable(heartbeat_, patience)) return std::nullopt;
    return read_frames(heartbeat_).front();
}

zmq::socket_t& test_client::socket_of(channel where) {
    if (where == channel::iopub) return iopub_;
    if (where == channel::control) return control_;
    return where == channel::stdin_channel ? stdin_ : shell_;
}

messaging::connection_info ipc_below(const std::string& directory) {
    messaging::connection_info where;
    where.ip = directory + "/k";
    where.key = "a key";
    return where;
}

message output_of(std::string_view msg_type, std::string content, std::string parent) {
    auto made = messaging::make_message(channel::iopub, msg_type, "kernel", std::move(content), std::move(parent));
    made.identities = {std::string(msg_type)};
    return made;
}

std::string type_of(const message& what) { return messaging::parse_header(what.header).value().msg_type; }
std::string text_of(const message& stream) { return nlohmann::json::parse(stream.content).at("text"); }
std::string name_of(const message& stream) { return nlohmann::json::parse(stream.content).at("name"); }
std::uint64_t number_of(const message& output) { return nlohmann::json::parse(output.metadata).at("cellgate_seq"); }

std::string all_text(const std::vector<message>& outputs, std::string_view name) {
    std::string text;
    for (const auto& each : outputs)
        if (type_of(each) == "stream" && name_of(each) == name) text += text_of(each);
    return text;
}

parent_text parent_called(std::string_view msg_id) {
    return std::make_shared<const std::string>("{\"msg_id\":\"" + std::string(msg_id) + "\"}");
}

bool wait_until(const std::function<bool()>& condition) {
    auto end = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

kernel_server& kernel_server_test::start(server_settings settings) {
    server = kernel_server::bind(ipc_below(directory.path()), std::move(settings)).value();
    server->start(sink);
    return *server;
}

test_client& kernel_server_test::connect() {
    client = std::make_unique<test_client>(server->where());
    return *client;
}

}  // namespace kernel
