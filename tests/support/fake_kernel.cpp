#include "tests/support/fake_kernel.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "messaging/json_string.hpp"
#include "messaging/signer.hpp"

namespace test_support {

using messaging::channel;
using messaging::frames;
using messaging::message;

namespace {

frames read_frames(zmq::socket_t& socket) {
    frames parts;
    zmq::message_t frame;
    do {
        if (!socket.recv(frame)) break;
        parts.push_back(frame.to_string());
    } while (frame.more());
    return parts;
}

void write_frames(zmq::socket_t& socket, const frames& parts) {
    for (std::size_t index = 0; index < parts.size(); ++index)
        socket.send(zmq::buffer(parts[index]),
                    index + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

std::string type_of(const message& request) {
    auto fields = messaging::parse_header(request.header);
    return fields ? fields->msg_type : std::string();
}

std::string reply_type(const message& request) {
    std::string type = type_of(request);
    auto tail = type.rfind("_request");
    return tail == std::string::npos ? type : type.substr(0, tail) + "_reply";
}

void answer_kernel_info(fake_kernel& kernel, const message& request) {
    kernel.busy(request);
    kernel.reply(request,
                 R"({"status":"ok","protocol_version":"5.3","implementation":"fake","implementation_version":"1",)"
                 R"("language_info":{"name":"python","version":"3","mimetype":"text/x-python",)"
                 R"("file_extension":".py"},"banner":"","help_links":[],"supported_features":[]})");
    kernel.idle(request);
}

void answer_execute(fake_kernel& kernel, const message& request) {
    kernel.busy(request);
    auto content = nlohmann::json::parse(request.content, nullptr, false);
    auto code = content.is_object() ? content.value("code", "") : std::string();
    kernel.publish("execute_input", R"({"execution_count":1,"code":)" + messaging::quote(code) + "}", request.header);
    if (!code.empty()) kernel.print(request, code);
    kernel.reply(request, R"({"status":"ok","execution_count":1,"user_expressions":{},"payload":[]})");
    kernel.idle(request);
}

void answer_anything(fake_kernel& kernel, const message& request) {
    if (!type_of(request).ends_with("_request")) return;
    kernel.busy(request);
    kernel.reply(request);
    kernel.idle(request);
}

}  // namespace

struct fake_kernel::implementation {
    implementation(fake_kernel& owner, messaging::connection_info where)
        : owner(owner), info(std::move(where)), keys(*messaging::signer::make(info.key, info.signature_scheme)) {
        if (info.ip.empty())
            throw std::invalid_argument("a fake_kernel needs an address, or it binds in the current folder");
        handlers["kernel_info_request"] = answer_kernel_info;
        handlers["execute_request"] = answer_execute;
        for (auto* socket : {&shell, &control, &stdin_socket, &iopub, &heartbeat}) {
            socket->set(zmq::sockopt::linger, 0);
            socket->set(zmq::sockopt::sndhwm, 0);
            socket->set(zmq::sockopt::rcvhwm, 0);
        }
        shell.bind(info.endpoint(info.shell_port));
        control.bind(info.endpoint(info.control_port));
        stdin_socket.bind(info.endpoint(info.stdin_port));
        iopub.bind(info.endpoint(info.iopub_port));
        heartbeat.bind(info.endpoint(info.hb_port));
        thread = std::thread([this] { work(); });
    }

    ~implementation() {
        run([this] { stopping = true; });
        thread.join();
        ::close(wake);
    }

    // Runs a job on the kernel's thread, at once when that is where we are.
    void run(std::function<void()> job) {
        if (std::this_thread::get_id() == thread.get_id()) return job();
        {
            std::lock_guard lock(mutex);
            jobs.push_back(std::move(job));
        }
        (void)::eventfd_write(wake, 1);
    }

    void work() {
        while (!stopping) {
            std::array<zmq::pollitem_t, 6> items = {{{shell.handle(), 0, ZMQ_POLLIN, 0},
                                                     {control.handle(), 0, ZMQ_POLLIN, 0},
                                                     {stdin_socket.handle(), 0, ZMQ_POLLIN, 0},
                                                     {iopub.handle(), 0, ZMQ_POLLIN, 0},
                                                     {heartbeat.handle(), 0, ZMQ_POLLIN, 0},
                                                     {nullptr, wake, ZMQ_POLLIN, 0}}};
            zmq::poll(items);
            if (items[5].revents) run_jobs();
            if (items[3].revents) take_subscription();
            if (items[4].revents) echo();
            if (items[1].revents) take_request(control, channel::control);
            if (items[0].revents) take_request(shell, channel::shell);
            if (items[2].revents) take_request(stdin_socket, channel::stdin_channel);
        }
    }

    void run_jobs() {
        eventfd_t count = 0;
        (void)::eventfd_read(wake, &count);
        std::list<std::function<void()>> taken;
        {
            std::lock_guard lock(mutex);
            taken.swap(jobs);
        }
        for (auto& job : taken) job();
    }

    void take_subscription() {
        auto parts = read_frames(iopub);
        if (parts.empty() || parts[0].empty() || parts[0][0] != 1) return;
        std::lock_guard lock(mutex);
        subscribed = true;
        changed.notify_all();
    }

    void echo() {
        auto parts = read_frames(heartbeat);
        if (!heartbeat_stopped) write_frames(heartbeat, parts);
    }

    void take_request(zmq::socket_t& socket, channel where) {
        auto request = messaging::decode_wire(read_frames(socket), where, keys);
        if (!request) return;
        std::string type = type_of(*request);
        auto found = handlers.find(type);
        auto what = found == handlers.end() ? handler(answer_anything) : found->second;
        what(owner, *request);
        std::lock_guard lock(mutex);
        requests.emplace_back(std::move(type), std::move(*request));
        changed.notify_all();
    }

    zmq::socket_t& socket_of(channel where) {
        switch (where) {
            case channel::shell:
                return shell;
            case channel::control:
                return control;
            case channel::stdin_channel:
                return stdin_socket;
            case channel::iopub:
                break;
        }
        return iopub;
    }

    void send(const message& what) { write_frames(socket_of(what.where), messaging::encode_wire(what, keys)); }

    fake_kernel& owner;
    messaging::connection_info info;
    std::string session = messaging::make_id();
    messaging::signer keys;
    zmq::context_t context{1};
    zmq::socket_t shell{context, zmq::socket_type::router};
    zmq::socket_t control{context, zmq::socket_type::router};
    zmq::socket_t stdin_socket{context, zmq::socket_type::router};
    zmq::socket_t iopub{context, zmq::socket_type::xpub};
    zmq::socket_t heartbeat{context, zmq::socket_type::router};
    int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool stopping = false;
    bool heartbeat_stopped = false;
    std::map<std::string, handler> handlers;

    std::mutex mutex;  // for what follows
    std::condition_variable changed;
    std::list<std::function<void()>> jobs;
    std::list<std::pair<std::string, message>> requests;
    bool subscribed = false;

    std::thread thread;
};

fake_kernel::fake_kernel(messaging::connection_info where)
    : implementation_(std::make_unique<implementation>(*this, std::move(where))) {}

fake_kernel::~fake_kernel() = default;

const messaging::connection_info& fake_kernel::connection() const { return implementation_->info; }

const std::string& fake_kernel::session() const { return implementation_->session; }

void fake_kernel::when(std::string msg_type, handler what) {
    implementation_->run([this, msg_type = std::move(msg_type), what = std::move(what)]() mutable {
        implementation_->handlers[msg_type] = std::move(what);
    });
}

void fake_kernel::busy(const message& request) { publish("status", R"({"execution_state":"busy"})", request.header); }

void fake_kernel::idle(const message& request) { publish("status", R"({"execution_state":"idle"})", request.header); }

void fake_kernel::reply(const message& request, std::string content) {
    auto answer =
        messaging::make_message(request.where, reply_type(request), session(), std::move(content), request.header);
    answer.identities = request.identities;
    implementation_->run([this, answer = std::move(answer)] { implementation_->send(answer); });
}

void fake_kernel::print(const message& request, std::string_view text, std::string_view stream) {
    publish("stream", "{\"name\":" + messaging::quote(stream) + ",\"text\":" + messaging::quote(text) + "}",
            request.header);
}

void fake_kernel::ask(const message& request, std::string_view prompt) {
    auto question =
        messaging::make_message(channel::stdin_channel, "input_request", session(),
                                "{\"prompt\":" + messaging::quote(prompt) + ",\"password\":false}", request.header);
    question.identities = request.identities;
    implementation_->run([this, question = std::move(question)] { implementation_->send(question); });
}

void fake_kernel::publish(std::string_view msg_type, std::string content, std::string parent_header) {
    auto what =
        messaging::make_message(channel::iopub, msg_type, session(), std::move(content), std::move(parent_header));
    what.identities.emplace_back(msg_type);
    publish(std::move(what));
}

void fake_kernel::publish(message what) {
    what.where = channel::iopub;
    implementation_->run([this, what = std::move(what)] { implementation_->send(what); });
}

void fake_kernel::send_frames(channel where, frames parts) {
    implementation_->run(
        [this, where, parts = std::move(parts)] { write_frames(implementation_->socket_of(where), parts); });
}

void fake_kernel::stop_heartbeat() {
    implementation_->run([this] { implementation_->heartbeat_stopped = true; });
}

void fake_kernel::settle() {
    std::promise<void> done;
    implementation_->run([&done] { done.set_value(); });
    done.get_future().wait();
}

std::optional<message> fake_kernel::next_request(std::string_view msg_type, std::chrono::milliseconds limit) {
    auto& shared = *implementation_;
    std::unique_lock lock(shared.mutex);
    std::optional<message> found;
    shared.changed.wait_for(lock, limit, [&] {
        for (auto each = shared.requests.begin(); each != shared.requests.end(); ++each) {
            if (each->first != msg_type) continue;
            found = std::move(each->second);
            shared.requests.erase(each);
            return true;
        }
        return false;
    });
    return found;
}

bool fake_kernel::wait_for_subscriber(std::chrono::milliseconds limit) {
    auto& shared = *implementation_;
    std::unique_lock lock(shared.mutex);
    return shared.changed.wait_for(lock, limit, [&] { return shared.subscribed; });
}

messaging::connection_info ipc_connection(const std::string& directory) {
    messaging::connection_info info;
    info.transport = "ipc";
    info.ip = directory + "/k";
    info.key = messaging::make_id();
    info.kernel_name = "fake";
    return info;
}

messaging::connection_info tcp_connection() {
    messaging::connection_info info;
    info.transport = "tcp";
    info.ip = "127.0.0.1";
    info.key = messaging::make_id();
    info.kernel_name = "fake";
    // All are held until the last was found, so that no two are the same.
    zmq::context_t context{1};
    std::vector<zmq::socket_t> held;
    for (int* port : {&info.shell_port, &info.iopub_port, &info.stdin_port, &info.control_port, &info.hb_port}) {
        auto& socket = held.emplace_back(context, zmq::socket_type::router);
        socket.bind("tcp://127.0.0.1:*");
        std::string bound = socket.get(zmq::sockopt::last_endpoint);
        *port = std::stoi(bound.substr(bound.rfind(':') + 1));
    }
    return info;
}

}  // namespace test_support
