#include "gateway/api/jupyter/channel_connection.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <future>

#include "messaging/websocket_v1.hpp"
#include "tests/support/fake_jupyter_session.hpp"
#include "tests/support/fake_websocket.hpp"
#include "tests/support/run_until.hpp"

namespace gateway::api::jupyter {
namespace {

using http::close_code;
using sessions::client_end;

class channel : public testing::Test {
  protected:
    void connect(framing form = framing::v1, asio::thread_pool* pool = nullptr) {
        form_ = options.form = form;
        options.pool = pool;
        connection = std::make_unique<channel_connection>(io.get_executor(), ws, client, options, counters);
        auto finished = [this](std::exception_ptr error) {
            done = true;
            EXPECT_FALSE(error);
        };
        asio::co_spawn(io, connection->run(), asio::bind_cancellation_slot(cancel.slot(), finished));
        EXPECT_TRUE(until([&] { return client->waits > 0; }));
    }
    template <class Condition>
    bool until(Condition condition) {
        return test_support::run_until(io, condition);
    }
    bool ends() {
        return until([&] { return done; });
    }
    static messaging::message stream(std::size_t bytes = 5) {
        return messaging::make_message(messaging::channel::iopub, "stream", "kernel",
                                       R"({"name":"stdout","text":")" + std::string(bytes, 'x') + "\"}");
    }
    std::string request() {
        return encode(form_, messaging::make_message(messaging::channel::shell, "execute_request", "me", "{}")).bytes;
    }
    bool writes(std::size_t count) {
        return until([&] { return ws.written.size() >= count; });
    }

    boost::asio::io_context io;
    test_support::fake_websocket ws{io.get_executor()};
    std::shared_ptr<test_support::fake_jupyter_client> client =
        std::make_shared<test_support::fake_jupyter_client>(io.get_executor());
    channel_counters counters;
    channel_options options;
    asio::cancellation_signal cancel;
    std::unique_ptr<channel_connection> connection;
    bool done = false;

  private:
    framing form_ = framing::v1;
};

TEST_F(channel, forwards_what_the_peer_sends_in_order) {
    connect();
    for (int at = 0; at < 3; ++at) ws.give(request(), true);
    EXPECT_TRUE(until([&] { return client->sent.size() == 3; }));
    EXPECT_EQ(client->sent[0].where, messaging::channel::shell);
    EXPECT_EQ(counters.messages_received, 3u);
    ws.cut();
    EXPECT_TRUE(ends());
}

TEST_F(channel, writes_what_the_session_sends_in_order) {
    connect();
    client->push(1, stream(1));
    client->push(2, stream(2), true);
    ASSERT_TRUE(writes(2));
    auto first = messaging::decode_v1(ws.written[0].bytes);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->content, stream(1).content);
    EXPECT_TRUE(ws.written[0].binary);
    EXPECT_EQ(counters.messages_sent, 2u);
    EXPECT_EQ(counters.merged, 1u);
    ws.cut();
    EXPECT_TRUE(ends());
}

TEST_F(channel, asks_what_arrived_and_tells_the_session) {
    connect();
    ws.answer_pings();
    client->push(41, stream());
    EXPECT_TRUE(until([&] { return client->acknowledged == 41; }));
    EXPECT_EQ(ws.pings, std::vector<std::string>{"seq 41"});
    ws.cut();
    EXPECT_TRUE(ends());
}

TEST_F(channel, asks_again_for_what_it_wrote_since) {
    connect();
    ws.answer_pings();
    for (std::uint64_t seq : {4u, 8u}) {
        client->push(seq, stream(ping_window::max_bytes));
        EXPECT_TRUE(until([&] { return client->acknowledged == seq; }));
    }
    EXPECT_EQ(ws.pings, (std::vector<std::string>{"seq 4", "seq 8"}));
    ws.cut();
    EXPECT_TRUE(ends());
}

TEST_F(channel, ignores_pongs_that_answer_none_of_its_pings) {
    connect();
    ws.pong("keep-alive");
    ws.pong("seq 99");
    EXPECT_EQ(client->acknowledged, 0u);
    ws.cut();
    EXPECT_TRUE(ends());
}

TEST_F(channel, tells_the_session_once_when_the_peer_is_cut) {
    connect();
    ws.cut();
    ASSERT_TRUE(ends());
    EXPECT_EQ(client->disconnects, std::vector<std::uint64_t>{0});
    EXPECT_FALSE(ws.closed);
    EXPECT_EQ(counters.cut, 1u);
}

TEST_F(channel, names_the_message_whose_write_failed) {
    connect();
    client->push(1, stream());
    ASSERT_TRUE(writes(1));
    ws.stop_reading();
    client->push(2, stream());
    ASSERT_TRUE(until([&] { return ws.writing == 1; }));
    ws.cut();
    ASSERT_TRUE(ends());
    EXPECT_EQ(client->disconnects, std::vector<std::uint64_t>{2});
}

TEST_F(channel, sends_nothing_behind_a_large_message_until_it_is_acknowledged) {
    connect();
    client->push(1, stream(ping_window::large_message));
    client->push(2, stream());
    ASSERT_TRUE(until([&] { return ws.pings.size() == 1; }));
    EXPECT_EQ(ws.written.size(), 1u);
    ws.answer_pings();
    EXPECT_TRUE(writes(2));
    ws.cut();
    EXPECT_TRUE(ends());
}

TEST_F(channel, names_a_large_message_that_was_written_but_never_acknowledged) {
    connect();
    client->push(7, stream(ping_window::large_message));
    ASSERT_TRUE(until([&] { return ws.pings.size() == 1; }));
    ws.cut();
    ASSERT_TRUE(ends());
    EXPECT_EQ(client->disconnects, std::vector<std::uint64_t>{7});
}

TEST_F(channel, closes_as_the_session_says) {
    for (auto [end, code] : {std::pair{client_end::replaced, close_code::normal},
                             {client_end::kernel_deleted, close_code::normal},
                             {client_end::session_ended, close_code::normal},
                             {client_end::gateway_ended, close_code::service_restart},
                             {client_end::none, close_code::internal_error}}) {
        test_support::fake_websocket socket(io.get_executor());
        auto reader = std::make_shared<test_support::fake_jupyter_client>(io.get_executor());
        channel_connection one(io.get_executor(), socket, reader, options, counters);
        bool over = false;
        auto finished = [&](std::exception_ptr) { over = true; };
        asio::co_spawn(io, one.run(), finished);
        ASSERT_TRUE(until([&] { return reader->waits > 0; }));
        reader->finish(end);
        ASSERT_TRUE(until([&] { return over; }));
        ASSERT_TRUE(socket.closed);
        EXPECT_EQ(socket.closed->first, code);
        EXPECT_FALSE(socket.aborted);
        EXPECT_EQ(reader->disconnects.size(), 1u);
    }
}

TEST_F(channel, stays_open_and_silent_when_the_peer_would_fight_its_replacement) {
    options.stay_when_replaced = true;
    connect();
    client->finish(client_end::replaced);
    ASSERT_TRUE(until([&] { return client->disconnects.size() == 1; }));
    EXPECT_FALSE(ws.closed);
    EXPECT_FALSE(done);
    ws.cut();
    ASSERT_TRUE(ends());
    EXPECT_EQ(client->disconnects.size(), 1u);
}

TEST_F(channel, closes_a_replaced_connection_whose_peer_still_speaks) {
    options.stay_when_replaced = true;
    connect();
    client->finish(client_end::replaced);
    ASSERT_TRUE(until([&] { return client->disconnects.size() == 1; }));
    ws.give(request(), true);
    ASSERT_TRUE(ends());
    ASSERT_TRUE(ws.closed);
    EXPECT_EQ(ws.closed->first, close_code::normal);
    EXPECT_TRUE(client->sent.empty());
}

TEST_F(channel, closes_with_the_reason_when_a_frame_is_no_message) {
    connect();
    ws.give("not a message", true);
    ASSERT_TRUE(ends());
    ASSERT_TRUE(ws.closed);
    EXPECT_EQ(ws.closed->first, bad_frame_code);
    EXPECT_EQ(ws.closed->second.rfind("bad message: ", 0), 0u);
    EXPECT_EQ(counters.bad_frames, 1u);
    EXPECT_TRUE(client->sent.empty());
}

TEST_F(channel, closes_with_the_sessions_reason_when_it_refuses_a_message) {
    connect();
    client->refuse_with = failure{errc::invalid_request, std::string(200, 'w')};
    ws.give(request(), true);
    ASSERT_TRUE(ends());
    ASSERT_TRUE(ws.closed);
    EXPECT_LE(ws.closed->second.size(), 123u);
}

TEST_F(channel, stays_open_when_the_session_cannot_forward_now) {
    connect();
    client->refuse_with = failure{errc::kernel_dead, "the kernel is dead"};
    ws.give(request(), true);
    ws.give(request(), true);
    EXPECT_TRUE(until([&] { return client->sent.size() == 2; }));
    EXPECT_FALSE(ws.closed);
    ws.cut();
    EXPECT_TRUE(ends());
}

TEST_F(channel, counts_the_messages_whose_buffers_it_left_out) {
    connect(framing::plain_without_buffers);
    auto comm = messaging::make_message(messaging::channel::iopub, "comm_msg", "kernel", "{}");
    comm.buffers = {"\xff"};
    client->push(1, comm);
    client->push(2, comm);
    ASSERT_TRUE(writes(2));
    EXPECT_FALSE(ws.written[0].binary);
    EXPECT_EQ(counters.buffers_stripped, 2u);
    ws.cut();
    EXPECT_TRUE(ends());
}

TEST_F(channel, codes_large_frames_on_the_pool) {
    asio::thread_pool pool(1);
    connect(framing::plain, &pool);
    client->push(1, stream(2u << 20));
    ASSERT_TRUE(writes(1));
    EXPECT_FALSE(ws.written[0].binary);
    ws.give(ws.written[0].bytes);
    ASSERT_TRUE(until([&] { return client->sent.size() == 1; }));
    EXPECT_EQ(client->sent[0].content, stream(2u << 20).content);
    ws.cut();
    EXPECT_TRUE(ends());
}

// --- every point at which its owner may cancel it ---

class cancelled_channel : public channel {
  protected:
    void cancel_now() {
        cancel.emit(asio::cancellation_type::all);
        ASSERT_TRUE(ends());
        EXPECT_EQ(client->disconnects.size(), 1u);
        EXPECT_FALSE(ws.closed);
    }
};

TEST_F(cancelled_channel, while_all_three_wait) {
    connect();
    cancel_now();
    EXPECT_FALSE(ws.aborted) << "the server's own close frame is still to be sent";
}

TEST_F(cancelled_channel, while_it_writes) {
    connect();
    ws.stop_reading();
    client->push(3, stream());
    ASSERT_TRUE(until([&] { return ws.writing == 1; }));
    cancel_now();
    EXPECT_EQ(client->disconnects.front(), 3u);
}

TEST_F(cancelled_channel, while_it_waits_to_ping) {
    connect();
    client->push(3, stream());
    ASSERT_TRUE(writes(1));
    cancel_now();
    EXPECT_EQ(client->disconnects.front(), 0u);
}

TEST_F(cancelled_channel, while_it_stays_after_being_replaced) {
    options.stay_when_replaced = true;
    connect();
    client->finish(client_end::replaced);
    ASSERT_TRUE(until([&] { return client->disconnects.size() == 1; }));
    cancel_now();
}

TEST_F(cancelled_channel, while_a_large_message_is_in_doubt) {
    connect();
    client->push(3, stream(ping_window::large_message));
    ASSERT_TRUE(until([&] { return ws.pings.size() == 1; }));
    cancel_now();
    EXPECT_EQ(client->disconnects.front(), 3u);
}

TEST_F(cancelled_channel, while_it_codes_on_the_pool) {
    asio::thread_pool pool(1);
    connect(framing::plain, &pool);
    std::promise<void> hold;
    asio::post(pool, [held = hold.get_future().share()] { held.wait(); });
    ws.give(encode(framing::plain, stream(2u << 20)).bytes);
    client->push(1, stream(2u << 20));
    ASSERT_TRUE(until([&] { return counters.messages_received == 1; }));
    cancel.emit(asio::cancellation_type::all);
    hold.set_value();
    ASSERT_TRUE(ends());
    EXPECT_EQ(client->disconnects.size(), 1u);
}

}  // namespace
}  // namespace gateway::api::jupyter
