// A kernel for tests: binds the five sockets of a connection and answers as it is told, on a thread of its own.
// Verbs may be called from any thread and keep their order; handlers run on the kernel's thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "messaging/connection_file.hpp"
#include "messaging/message.hpp"
#include "messaging/wire.hpp"

namespace test_support {

class fake_kernel {
  public:
    using handler = std::function<void(fake_kernel&, const messaging::message& request)>;

    // Bound when it returns. iopub is an XPUB without a high-water mark.
    explicit fake_kernel(messaging::connection_info where);
    ~fake_kernel();
    fake_kernel(const fake_kernel&) = delete;
    fake_kernel& operator=(const fake_kernel&) = delete;

    const messaging::connection_info& connection() const;
    // The session id of everything that it sends.
    const std::string& session() const;

    // What it does about requests of a type from now on. Unless told otherwise it answers every *_request between busy
    // and idle: kernel_info_request as a kernel does, execute_request by printing its code, others with status ok.
    void when(std::string msg_type, handler what);

    void busy(const messaging::message& request);
    void idle(const messaging::message& request);
    void reply(const messaging::message& request, std::string content = R"({"status":"ok"})");
    void print(const messaging::message& request, std::string_view text, std::string_view stream = "stdout");
    // input_request on stdin, to whom sent the request.
    void ask(const messaging::message& request, std::string_view prompt);
    void publish(std::string_view msg_type, std::string content, std::string parent_header = "{}");
    void publish(messaging::message what);
    // Frames as they are, on iopub or (first frame: whom to) on a ROUTER channel.
    void send_frames(messaging::channel where, messaging::frames parts);
    void stop_heartbeat();
    // Does all that was asked before, then returns.
    void settle();

    // The oldest request of the type that was not given out yet; nothing once `limit` has passed.
    std::optional<messaging::message> next_request(std::string_view msg_type,
                                                   std::chrono::milliseconds limit = std::chrono::seconds(5));
    bool wait_for_subscriber(std::chrono::milliseconds limit = std::chrono::seconds(5));

  private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

// A connection over ipc below `directory` (its sockets are DIRECTORY/k-1 to k-5), with a random key.
messaging::connection_info ipc_connection(const std::string& directory);
// A connection over loopback TCP with ports that are free now, and a random key.
messaging::connection_info tcp_connection();

}  // namespace test_support
