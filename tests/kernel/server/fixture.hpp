// A kernel's server with a client that is connected to all of its sockets, for tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <zmq.hpp>

#include "kernel/server/kernel_server.hpp"
#include "messaging/signer.hpp"
#include "messaging/wire.hpp"
#include "tests/support/temporary_directory.hpp"

namespace kernel {

inline constexpr std::chrono::milliseconds patience = std::chrono::seconds(20);

// Keeps what comes until it is asked for. Any thread.
class recording_sink final : public request_sink {
  public:
    void on_request(messaging::message what) override { put(requests_, std::move(what)); }
    void on_input_reply(messaging::message what) override { put(input_replies_, std::move(what)); }

    std::optional<messaging::message> next_request() { return next(requests_); }
    std::optional<messaging::message> next_input_reply() { return next(input_replies_); }

  private:
    using box = std::deque<messaging::message>;

    void put(box& into, messaging::message what);
    std::optional<messaging::message> next(box& from);

    std::mutex mutex_;
    std::condition_variable came_;
    box requests_;
    box input_replies_;
};

// DEALER shell, control and stdin of one identity, SUB iopub, REQ heartbeat. Checks every signature, and that none
// comes twice.
class test_client {
  public:
    // Returns once it gets what is published. A `most_unread` other than 0 is how many messages iopub and control
    // take without being read.
    explicit test_client(const messaging::connection_info& where, std::string identity = "client", int most_unread = 0,
                         std::string topic = "");

    void send(messaging::channel where, std::string_view msg_type, std::string content = "{}");
    void send_frames(messaging::channel where, const messaging::frames& parts);
    // Nothing after `limit`. A message that is not valid fails the test.
    std::optional<messaging::message> next(messaging::channel where, std::chrono::milliseconds limit = patience);
    // The next on iopub that is no welcome.
    messaging::message next_output();
    // What comes until `msg_type`, with it.
    std::vector<messaging::message> outputs_until(std::string_view msg_type);
    std::optional<std::string> heartbeat(std::string_view ping);
    const std::optional<messaging::message>& welcome() const { return welcome_; }

  private:
    zmq::socket_t& socket_of(messaging::channel where);

    messaging::connection_info where_;
    zmq::context_t context_;
    zmq::socket_t shell_{context_, zmq::socket_type::dealer};
    zmq::socket_t control_{context_, zmq::socket_type::dealer};
    zmq::socket_t stdin_{context_, zmq::socket_type::dealer};
    zmq::socket_t iopub_{context_, zmq::socket_type::sub};
    zmq::socket_t heartbeat_{context_, zmq::socket_type::req};
    messaging::signer keys_;
    std::optional<messaging::message> welcome_;
};

messaging::connection_info ipc_below(const std::string& directory);
messaging::message output_of(std::string_view msg_type, std::string content = "{}", std::string parent = "{}");
std::string type_of(const messaging::message& what);
std::string text_of(const messaging::message& stream);  // its content's "text"
std::string name_of(const messaging::message& stream);  // its content's "name"
std::uint64_t number_of(const messaging::message& output);
// The text of all stream messages of that name.
std::string all_text(const std::vector<messaging::message>& outputs, std::string_view name = "stdout");
parent_text parent_called(std::string_view msg_id);
// Asks every millisecond until it is so; false when it is not within `patience`.
bool wait_until(const std::function<bool()>& condition);

class kernel_server_test : public testing::Test {
  protected:
    // Bound and started, with ipc sockets in a directory of its own.
    kernel_server& start(server_settings settings = {});
    test_client& connect();

    test_support::temporary_directory directory;
    recording_sink sink;
    std::unique_ptr<kernel_server> server;
    std::unique_ptr<test_client> client;
};

}  // namespace kernel
