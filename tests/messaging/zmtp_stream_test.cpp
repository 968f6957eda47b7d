#include "messaging/zmtp_stream.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/run_until.hpp"
#include "tests/support/temporary_directory.hpp"

namespace messaging {
namespace {

using namespace std::string_literals;
using boost::asio::local::stream_protocol;
using test_support::run_until;

const std::string router_ready = "\x04\x1C\x05READY\x0BSocket-Type\0\0\0\x06ROUTER"s;

std::string encode(std::string_view text) { return encode_zmtp(std::vector<std::string_view>{text}); }

// The peer is a bare socket: it says byte by byte what libzmq would not.
class zmtp_stream_test : public testing::Test {
  protected:
    void listen() { acceptor.emplace(io, stream_protocol::endpoint(path())); }

    void open(zmtp_role role = zmtp_role::dealer, zmtp_limits limits = {}) {
        zmtp_stream::options how{role, "me", endpoint::parse("ipc://" + path()).value(), limits};
        stream.emplace(io.get_executor(), how, [this](result<frames> arrived) {
            if (arrived)
                received.push_back(arrived->front());
            else
                errors.push_back(arrived.error());
            if (on_each) on_each();
        });
    }

    void accept() {
        peer.emplace(io);
        std::optional<boost::system::error_code> done;
        acceptor->async_accept(*peer, [&](boost::system::error_code ec) { done = ec; });
        ASSERT_TRUE(run_until(io, [&] { return done.has_value(); }));
        ASSERT_FALSE(*done);
        peer->non_blocking(true);
    }

    void say(std::string_view bytes) { boost::asio::write(*peer, boost::asio::buffer(bytes)); }

    bool hears(const std::string& wanted) {
        std::string heard(wanted.size(), '\0');
        std::optional<boost::system::error_code> done;
        boost::asio::async_read(*peer, boost::asio::buffer(heard),
                                [&](boost::system::error_code ec, std::size_t) { done = ec; });
        return run_until(io, [&] { return done.has_value(); }) && !*done && heard == wanted;
    }

    void shake_hands() {
        ASSERT_TRUE(hears(zmtp_greeting()));
        say(zmtp_greeting());
        ASSERT_TRUE(hears(zmtp_ready(zmtp_role::dealer, "me")));
        say(router_ready);
        ASSERT_TRUE(run_until(io, [&] { return stream->is_connected(); }));
    }
    void connect() {
        listen();
        open();
        accept();
        shake_hands();
    }
    void send(std::string_view text) { stream->send(std::vector<std::string_view>{text}); }
    bool receives(std::size_t count) {
        return run_until(io, [&] { return received.size() >= count; });
    }
    bool fails_with(errc why) {
        return run_until(io, [&] { return !errors.empty(); }) && errors.back() == why;
    }
    std::string path() const { return directory.path() + "/k-1"; }

    test_support::temporary_directory directory;
    boost::asio::io_context io;
    std::optional<stream_protocol::acceptor> acceptor;
    std::optional<stream_protocol::socket> peer;
    std::optional<zmtp_stream> stream;
    std::vector<std::string> received;
    std::vector<boost::system::error_code> errors;
    std::function<void()> on_each;
};

TEST_F(zmtp_stream_test, says_nothing_more_than_the_protocol_allows_until_the_peer_is_ready) {
    listen();
    open();
    send("early");
    accept();
    ASSERT_TRUE(hears(zmtp_greeting()));
    boost::system::error_code ec;
    char byte = 0;
    peer->read_some(boost::asio::buffer(&byte, 1), ec);
    EXPECT_EQ(ec, boost::asio::error::would_block);
    say(zmtp_greeting());
    ASSERT_TRUE(hears(zmtp_ready(zmtp_role::dealer, "me")));
    say(router_ready);
    EXPECT_TRUE(hears(encode("early")));
}

TEST_F(zmtp_stream_test, subscribes_before_anything_else) {
    listen();
    open(zmtp_role::subscriber);
    accept();
    say(zmtp_greeting() + "\x04\x1A\x05READY\x0BSocket-Type\0\0\0\x04XPUB"s);
    EXPECT_TRUE(hears(zmtp_greeting() + zmtp_ready(zmtp_role::subscriber, "") + zmtp_subscription()));
}

TEST_F(zmtp_stream_test, understands_a_peer_that_sends_one_byte_at_a_time) {
    listen();
    open();
    accept();
    for (char byte : zmtp_greeting() + router_ready + encode("hello")) {
        say({&byte, 1});
        io.restart();
        io.poll();
    }
    EXPECT_TRUE(receives(1));
    EXPECT_EQ(received.front(), "hello");
}

TEST_F(zmtp_stream_test, carries_what_fills_every_buffer_between) {
    connect();
    std::string large(20'000'000, 'x');
    send(large);
    send("after");
    EXPECT_TRUE(hears(encode(large) + encode("after")));
}

TEST_F(zmtp_stream_test, answers_a_ping) {
    connect();
    say("\x04\x0A\x04PING\0\x0A"s + "abc");
    EXPECT_TRUE(hears(zmtp_pong("abc")));
}

TEST_F(zmtp_stream_test, reads_all_that_a_peer_sent_before_it_went) {
    connect();
    std::string all;
    for (int count = 0; count < 2000; ++count) all += encode(std::to_string(count));
    say(all);
    peer.reset();
    send("to nobody");
    ASSERT_TRUE(run_until(io, [&] { return !stream->is_connected(); }));
    EXPECT_EQ(received.size(), 2000u);
    EXPECT_TRUE(errors.empty());
}

TEST_F(zmtp_stream_test, connects_again_and_sends_anew_what_was_cut) {
    connect();
    std::string large(5'000'000, 'x');
    send(large);
    peer.reset();
    accept();
    shake_hands();
    EXPECT_TRUE(hears(encode(large)));
}

TEST_F(zmtp_stream_test, skips_what_is_too_large_and_goes_on) {
    listen();
    open(zmtp_role::dealer, {2, 100'000});
    accept();
    shake_hands();
    auto bytes = encode(std::string(1'000'000, 'x')) + encode("after");
    boost::asio::async_write(*peer, boost::asio::buffer(bytes), [](boost::system::error_code, std::size_t) {});
    EXPECT_TRUE(fails_with(errc::too_large));
    ASSERT_TRUE(receives(1));
    EXPECT_EQ(received.front(), "after");
}

TEST_F(zmtp_stream_test, gives_up_a_connection_that_makes_no_sense_and_tries_another) {
    connect();
    say("\x08\x01x");
    ASSERT_TRUE(fails_with(errc::bad_frame));
    EXPECT_FALSE(stream->is_connected());
    accept();
    shake_hands();
    say(encode("well"));
    EXPECT_TRUE(receives(1));
}

TEST_F(zmtp_stream_test, tells_once_that_a_link_lies_where_the_socket_should_and_connects_when_it_is_gone) {
    stream_protocol::acceptor other(io, stream_protocol::endpoint(directory.path() + "/service"));
    std::filesystem::create_symlink(directory.path() + "/service", path());
    open();
    ASSERT_TRUE(fails_with(errc::unsafe_socket));
    std::filesystem::remove(path());
    listen();
    accept();
    shake_hands();
    EXPECT_EQ(errors.size(), 1u);
    other.non_blocking(true);
    boost::system::error_code ec;
    other.accept(ec);
    EXPECT_EQ(ec, boost::asio::error::would_block);
}

TEST_F(zmtp_stream_test, tells_once_that_the_peer_speaks_something_else) {
    listen();
    open();
    for (int attempt = 0; attempt < 3; ++attempt) {
        accept();
        say("HTTP/1.1 400 Bad Request\r\n\r\n");
    }
    ASSERT_TRUE(fails_with(errc::not_zmtp));
    accept();
    shake_hands();
    EXPECT_EQ(errors.size(), 1u);
}

TEST_F(zmtp_stream_test, lets_other_work_through_during_a_flood) {
    connect();
    std::string flood;
    for (std::size_t count = 0; count < 3 * zmtp_stream::turn_events; ++count) flood += encode("x");
    std::optional<std::size_t> seen;
    on_each = [&] {
        if (received.size() == 1) boost::asio::post(io, [&] { seen = received.size(); });
    };
    say(flood);
    ASSERT_TRUE(receives(3 * zmtp_stream::turn_events));
    ASSERT_TRUE(seen);
    EXPECT_LE(*seen, zmtp_stream::turn_events);
}

TEST_F(zmtp_stream_test, can_be_destroyed_by_its_own_callback_with_more_to_read) {
    connect();
    on_each = [&] { stream.reset(); };
    say(encode("a") + encode("b"));
    ASSERT_TRUE(receives(1));
    io.restart();
    io.poll();
    EXPECT_EQ(received.size(), 1u);
}

TEST_F(zmtp_stream_test, can_be_destroyed_by_the_callback_that_tells_of_an_error) {
    connect();
    on_each = [&] { stream.reset(); };
    say("\x08\x01x");
    ASSERT_TRUE(fails_with(errc::bad_frame));
    io.restart();
    io.poll();
    EXPECT_EQ(errors.size(), 1u);
}

}  // namespace
}  // namespace messaging
