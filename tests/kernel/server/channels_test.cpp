// What clients send and get on shell, control, stdin and the heartbeat.
#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "tests/kernel/server/fixture.hpp"

namespace kernel {
namespace {

using messaging::channel;

class channels_test : public kernel_server_test {
  protected:
    channels_test() {
        if (::pipe2(log.data(), O_CLOEXEC) != 0) std::abort();
    }
    ~channels_test() override {
        for (int end : log) ::close(end);
    }

    void start_with_log() {
        start({.log = log[1]});
        connect();
    }
    static messaging::message question_to(std::string identity, std::string content) {
        auto made = messaging::make_message(channel::stdin_channel, "input_request", "k", std::move(content));
        made.identities = {std::move(identity)};
        return made;
    }
    // The next line that the server wrote about something that it refused.
    std::string next_line() {
        std::string line;
        for (char byte; line.empty() || line.back() != '\n'; line += byte)
            if (::read(log[0], &byte, 1) != 1) break;
        return line;
    }
    void expect_to_work() {
        client->send(channel::shell, "kernel_info_request");
        auto came = sink.next_request();
        ASSERT_TRUE(came);
        EXPECT_EQ(type_of(*came), "kernel_info_request");
    }

    std::array<int, 2> log{};
};

TEST_F(channels_test, passes_requests_on_and_their_replies_back) {
    start();
    connect();
    for (auto where : {channel::shell, channel::control}) {
        client->send(where, "kernel_info_request", R"({"a":1})");
        auto request = sink.next_request();
        ASSERT_TRUE(request);
        EXPECT_EQ(request->where, where);
        EXPECT_EQ(request->content, R"({"a":1})");
        auto reply = messaging::make_message(where, "kernel_info_reply", "k", R"({"status":"ok"})", request->header);
        reply.identities = request->identities;
        reply.buffers = {"", "buffer"};
        server->send(reply);
        auto came = client->next(where);
        ASSERT_TRUE(came);
        reply.identities.clear();
        EXPECT_EQ(*came, reply);
    }
}

TEST_F(channels_test, replies_to_who_has_asked) {
    start();
    connect();
    test_client other(server->where(), "other");
    other.send(channel::shell, "complete_request");
    auto request = sink.next_request();
    ASSERT_TRUE(request);
    auto reply = messaging::make_message(channel::shell, "complete_reply", "k", "{}");
    reply.identities = request->identities;
    server->send(reply);
    EXPECT_TRUE(other.next(channel::shell));
    EXPECT_FALSE(client->next(channel::shell, std::chrono::milliseconds(0)));
}

TEST_F(channels_test, asks_on_stdin_and_passes_the_answer_on) {
    start();
    connect();
    client->send(channel::shell, "execute_request");
    auto request = sink.next_request();
    ASSERT_TRUE(request);
    auto question = messaging::make_message(channel::stdin_channel, "input_request", "k", R"({"prompt":"?"})");
    // One identity for all channels: a client's stdin is found by that of its shell.
    question.identities = request->identities;
    server->ask(question);
    ASSERT_TRUE(client->next(channel::stdin_channel));
    client->send(channel::stdin_channel, "input_reply", R"({"value":"42"})");
    auto answer = sink.next_input_reply();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->content, R"({"value":"42"})");
}

TEST_F(channels_test, asks_a_client_whose_stdin_is_connected_later) {
    start();
    connect();
    server->ask(question_to("late", "first?"));
    server->ask(question_to("late", "second?"));
    // Two turns of the io thread: both were offered in vain.
    for (int turn = 0; turn < 2; ++turn) ASSERT_EQ(client->heartbeat("ping"), "ping");
    test_client late(server->where(), "late");
    for (std::string_view prompt : {"first?", "second?"}) {
        auto asked = late.next(channel::stdin_channel);
        ASSERT_TRUE(asked);
        EXPECT_EQ(asked->content, prompt);
    }
    EXPECT_FALSE(client->next(channel::stdin_channel, std::chrono::milliseconds(0)));
}

TEST_F(channels_test, does_not_ask_later_what_was_withdrawn) {
    start();
    connect();
    auto given_up = question_to("late", "given up?");
    server->ask(given_up);
    server->withdraw(messaging::parse_header(given_up.header)->msg_id);
    server->ask(question_to("late", "wanted?"));
    test_client late(server->where(), "late");
    auto asked = late.next(channel::stdin_channel);
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->content, "wanted?");
}

TEST_F(channels_test, keeps_the_order_of_a_channel) {
    start();
    connect();
    for (int index = 0; index < 1000; ++index) client->send(channel::shell, "execute_request", std::to_string(index));
    for (int index = 0; index < 1000; ++index) {
        auto came = sink.next_request();
        ASSERT_TRUE(came);
        ASSERT_EQ(came->content, std::to_string(index));
    }
}

TEST_F(channels_test, refuses_a_wrong_signature_with_one_line_and_goes_on) {
    start_with_log();
    client->send_frames(channel::shell, {"<IDS|MSG>", std::string(64, '0'), "{}", "{}", "{}", "{}"});
    EXPECT_EQ(next_line(),
              "cellgate-kernel: refused a message on shell: the signature does not fit: check that both sides use the "
              "same key and scheme\n");
    expect_to_work();
}

TEST_F(channels_test, refuses_frames_that_are_no_message_and_goes_on) {
    start_with_log();
    client->send_frames(channel::control, {"hello"});
    EXPECT_NE(next_line().find("on control: no <IDS|MSG> frame"), std::string::npos);
    client->send_frames(channel::stdin_channel, {"<IDS|MSG>", "", "{}"});
    EXPECT_NE(next_line().find("on stdin: too few frames"), std::string::npos);
    expect_to_work();
}

TEST_F(channels_test, refuses_the_same_message_a_second_time) {
    start_with_log();
    auto keys = messaging::signer::make("a key").value();
    auto parts = messaging::encode_wire(messaging::make_message(channel::shell, "execute_request", "c", "{}"), keys);
    client->send_frames(channel::shell, parts);
    client->send_frames(channel::shell, parts);
    EXPECT_TRUE(sink.next_request());
    EXPECT_NE(next_line().find("seen before"), std::string::npos);
}

TEST_F(channels_test, refuses_more_frames_than_a_message_may_have) {
    start_with_log();
    auto keys = messaging::signer::make("a key").value();
    auto large = messaging::make_message(channel::shell, "comm_msg", "c", "{}");
    large.buffers.resize(5000, "x");
    client->send_frames(channel::shell, messaging::encode_wire(large, keys));
    EXPECT_NE(next_line().find("too many parts"), std::string::npos);
    expect_to_work();
}

TEST_F(channels_test, writes_no_line_where_nobody_reads) {
    start_with_log();
    ASSERT_EQ(::fcntl(log[1], F_SETPIPE_SZ, 4096), 4096);
    for (int index = 0; index < 200; ++index) client->send_frames(channel::shell, {"hello"});
    expect_to_work();
}

class throwing_sink final : public request_sink {
  public:
    explicit throwing_sink(recording_sink& next) : next_(next) {}
    void on_request(messaging::message what) override {
        if (type_of(what) == "bad_request") throw std::runtime_error("a bug");
        next_.on_request(std::move(what));
    }
    void on_input_reply(messaging::message) override {}

  private:
    recording_sink& next_;
};

TEST_F(channels_test, outlives_a_sink_that_throws) {
    throwing_sink thrower(sink);
    server = kernel_server::bind(ipc_below(directory.path()), {.log = log[1]}).value();
    server->start(thrower);
    connect();
    client->send(channel::shell, "bad_request");
    EXPECT_EQ(next_line(), "cellgate-kernel: refused a message on shell: a bug\n");
    expect_to_work();
    server->stop();
}

TEST_F(channels_test, echoes_heartbeats_as_they_are) {
    start();
    connect();
    for (std::string ping : {"ping", "", "\x01\xFFz"}) EXPECT_EQ(client->heartbeat(ping), ping);
}

TEST_F(channels_test, echoes_heartbeats_while_requests_and_output_pile_up) {
    start();
    connect();
    for (int index = 0; index < 2000; ++index) {
        client->send(channel::shell, "execute_request");
        server->write(index % 2 ? output_stream::out : output_stream::err, "text", nullptr);
    }
    for (int index = 0; index < 20; ++index) EXPECT_EQ(client->heartbeat("ping"), "ping");
}

TEST_F(channels_test, works_without_a_key) {
    auto where = ipc_below(directory.path());
    where.key.clear();
    server = kernel_server::bind(where).value();
    server->start(sink);
    connect();
    expect_to_work();
}

}  // namespace
}  // namespace kernel
