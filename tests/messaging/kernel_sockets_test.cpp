#include "messaging/kernel_sockets.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messaging/json_string.hpp"
#include "tests/support/fake_kernel.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_directory.hpp"

namespace messaging {
namespace {

using test_support::fake_kernel;
using test_support::run_until;

enum class path_kind { ipc, long_ipc, tcp };

std::string name_of(path_kind kind) {
    return kind == path_kind::ipc ? "ipc" : kind == path_kind::long_ipc ? "ipc_with_a_long_path" : "tcp";
}

void PrintTo(path_kind kind, std::ostream* to) { *to << name_of(kind); }

class kernel_sockets_test : public testing::TestWithParam<path_kind> {
  protected:
    void start() {
        info = connection();
        kernel = std::make_unique<fake_kernel>(as_kernel_sees_it());
        connect();
        ASSERT_TRUE(eventually([&] { return kernel->wait_for_subscriber(std::chrono::milliseconds(0)); }));
    }

    void connect() {
        sockets = std::make_unique<kernel_sockets>(
            io.get_executor(), info,
            [this](message each) {
                received.push_back(std::move(each));
                if (on_each) on_each();
            },
            [this](channel where, boost::system::error_code why) { refused.emplace_back(where, why); }, &pool);
    }

    connection_info connection() {
        if (GetParam() == path_kind::tcp) return test_support::tcp_connection();
        if (GetParam() == path_kind::ipc) return test_support::ipc_connection(directory.path());
        std::string path = directory.path() + "/" + std::string(120, 'd');
        std::filesystem::create_directory(path);
        std::filesystem::create_directory_symlink(path, directory.path() + "/short");
        return test_support::ipc_connection(path);
    }

    // A kernel binds by a short path of the same directory, as in its box.
    connection_info as_kernel_sees_it() const {
        auto seen = info;
        if (GetParam() == path_kind::long_ipc) seen.ip = directory.path() + "/short/k";
        return seen;
    }

    bool receives(std::size_t count) {
        return run_until(io, [&] { return received.size() >= count; });
    }
    bool receives_type(std::string_view msg_type) {
        return run_until(io, [&] { return count(msg_type) > 0; });
    }
    std::size_t count(std::string_view msg_type) const {
        std::size_t sum = 0;
        for (const auto& each : received) sum += parse_header(each.header)->msg_type == msg_type;
        return sum;
    }
    message request(std::string_view msg_type, std::string content = "{}", channel where = channel::shell) {
        return make_message(where, msg_type, "client", std::move(content));
    }
    // Asked every millisecond: no event of ours tells of it.
    template <class Condition>
    bool eventually(Condition condition) {
        boost::asio::steady_timer tick(io);
        return run_until(io, [&] {
            tick.expires_after(std::chrono::milliseconds(1));
            tick.async_wait([](boost::system::error_code) {});
            return condition();
        });
    }
    bool ends() {
        return eventually([&] { return sockets->kernel_has_ended(); });
    }
    bool beats(int limit_ms) {
        std::optional<bool> answer;
        boost::asio::co_spawn(io, sockets->heartbeat(limit_ms),
                              [&](std::exception_ptr, bool outcome) { answer = outcome; });
        EXPECT_TRUE(run_until(io, [&] { return answer.has_value(); }));
        return answer.value_or(false);
    }

    test_support::temporary_directory directory;
    boost::asio::io_context io;
    boost::asio::thread_pool pool{2};
    connection_info info;
    std::unique_ptr<fake_kernel> kernel;
    std::unique_ptr<kernel_sockets> sockets;
    std::vector<message> received;
    std::vector<std::pair<channel, boost::system::error_code>> refused;
    std::function<void()> on_each;
};

TEST_P(kernel_sockets_test, carry_a_request_and_everything_it_causes) {
    start();
    ASSERT_TRUE(sockets->send(request("execute_request", R"({"code":"hello"})")));
    ASSERT_TRUE(receives(5));
    EXPECT_EQ(count("status"), 2u);
    EXPECT_EQ(count("execute_input"), 1u);
    EXPECT_EQ(count("stream"), 1u);
    EXPECT_EQ(count("execute_reply"), 1u);
    EXPECT_TRUE(refused.empty());
}

TEST_P(kernel_sockets_test, carry_control_and_buffers) {
    start();
    auto with_buffers = request("comm_msg_request", R"({"x":1})", channel::control);
    with_buffers.buffers = {"", std::string("\xFF\xFE\0", 3), std::string(70'000, 'b')};
    ASSERT_TRUE(sockets->send(with_buffers));
    auto arrived = kernel->next_request("comm_msg_request");
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->where, channel::control);
    EXPECT_EQ(arrived->buffers, with_buffers.buffers);
    EXPECT_TRUE(receives_type("comm_msg_reply"));
}

TEST_P(kernel_sockets_test, bring_a_question_back_to_who_sent_the_request) {
    start();
    kernel->when("execute_request", [](fake_kernel& self, const message& cell) { self.ask(cell, "name? "); });
    ASSERT_TRUE(sockets->send(request("execute_request")));
    ASSERT_TRUE(receives_type("input_request"));
    EXPECT_EQ(received.back().where, channel::stdin_channel);
    ASSERT_TRUE(sockets->send(request("input_reply", R"({"value":"x"})", channel::stdin_channel)));
    auto arrived = kernel->next_request("input_reply");
    ASSERT_TRUE(arrived);
    EXPECT_EQ(arrived->content, R"({"value":"x"})");
}

TEST_P(kernel_sockets_test, lose_nothing_of_a_flood_and_keep_its_order) {
    start();
    constexpr std::size_t lines = 20'000;
    for (std::size_t line = 0; line < lines; ++line)
        kernel->publish("stream", "{\"name\":\"stdout\",\"text\":\"" + std::to_string(line) + "\"}");
    ASSERT_TRUE(run_until(
        io, [&] { return received.size() == lines; }, std::chrono::seconds(50)))
        << received.size();
    for (std::size_t line = 0; line < lines; ++line)
        ASSERT_EQ(received[line].content, "{\"name\":\"stdout\",\"text\":\"" + std::to_string(line) + "\"}");
}

TEST_P(kernel_sockets_test, wait_for_a_kernel_that_binds_later) {
    info = connection();
    connect();
    ASSERT_TRUE(sockets->send(request("kernel_info_request")));
    io.poll();
    kernel = std::make_unique<fake_kernel>(as_kernel_sees_it());
    EXPECT_TRUE(receives_type("kernel_info_reply"));
}

TEST_P(kernel_sockets_test, know_when_a_kernel_that_ended_was_read_to_its_end) {
    start();
    for (int line = 0; line < 5000; ++line) kernel->publish("stream", "{}");
    kernel->settle();
    EXPECT_FALSE(sockets->kernel_has_ended());
    ASSERT_TRUE(receives(5000));
    EXPECT_FALSE(sockets->kernel_has_ended());
    kernel.reset();
    EXPECT_TRUE(ends());
    EXPECT_EQ(received.size(), 5000u);
}

TEST_P(kernel_sockets_test, know_that_a_kernel_that_never_was_has_ended) {
    info = connection();
    connect();
    EXPECT_TRUE(ends());
}

TEST_P(kernel_sockets_test, hear_the_heart_beat_and_miss_it_when_it_stops) {
    start();
    EXPECT_TRUE(beats(5000));
    EXPECT_TRUE(beats(5000));
    kernel->stop_heartbeat();
    kernel->settle();
    EXPECT_FALSE(beats(20));
}

INSTANTIATE_TEST_SUITE_P(over, kernel_sockets_test,
                         testing::Values(path_kind::ipc, path_kind::long_ipc, path_kind::tcp),
                         [](const auto& which) { return name_of(which.param); });

class kernel_sockets_alone : public kernel_sockets_test {};

TEST_P(kernel_sockets_alone, do_not_call_back_from_inside_send) {
    start();
    for (int round = 0; round < 50; ++round) {
        auto before = received.size();
        ASSERT_TRUE(sockets->send(request("kernel_info_request")));
        EXPECT_EQ(received.size(), before);
        ASSERT_TRUE(receives(3u * (static_cast<std::size_t>(round) + 1)));
    }
}

TEST_P(kernel_sockets_alone, let_control_and_other_work_through_during_a_flood) {
    start();
    for (int line = 0; line < 5000; ++line) kernel->publish("stream", "{}");
    kernel->settle();
    ASSERT_TRUE(receives(1));
    bool other_work = false;
    std::size_t seen_at_work = 0;
    boost::asio::post(io, [&] {
        other_work = true;
        seen_at_work = received.size();
    });
    ASSERT_TRUE(run_until(io, [&] { return other_work; }));
    EXPECT_LE(seen_at_work, 1024u);
    ASSERT_TRUE(receives(5000));
}

TEST_P(kernel_sockets_alone, can_be_destroyed_while_messages_wait) {
    start();
    for (int line = 0; line < 2000; ++line) kernel->publish("stream", "{}");
    kernel->settle();
    ASSERT_TRUE(receives(1));
    auto before = received.size();
    sockets.reset();
    io.restart();
    io.poll();
    EXPECT_EQ(received.size(), before);
}

TEST_P(kernel_sockets_alone, can_be_destroyed_by_a_callback) {
    start();
    on_each = [this] { sockets.reset(); };
    for (int line = 0; line < 1000; ++line) kernel->publish("stream", "{}");
    ASSERT_TRUE(receives(1));
    io.restart();
    io.poll();
    EXPECT_EQ(received.size(), 1u);
}

TEST_P(kernel_sockets_alone, end_a_heartbeat_that_waits_when_they_go) {
    start();
    kernel->stop_heartbeat();
    std::optional<bool> answer;
    boost::asio::co_spawn(io, sockets->heartbeat(60'000), [&](std::exception_ptr, bool outcome) { answer = outcome; });
    io.restart();
    io.poll();
    sockets.reset();
    ASSERT_TRUE(run_until(io, [&] { return answer.has_value(); }));
    EXPECT_FALSE(*answer);
}

TEST_P(kernel_sockets_alone, can_go_before_the_io_context_ran_at_all) {
    info = connection();
    connect();
    sockets.reset();
    io.poll();
    EXPECT_TRUE(received.empty());
}

TEST_P(kernel_sockets_alone, report_what_they_refuse_and_go_on) {
    start();
    kernel->send_frames(channel::iopub, {"garbage"});
    kernel->send_frames(channel::iopub, {"<IDS|MSG>", "forged", "{}", "{}", "{}", "{}"});
    kernel->send_frames(channel::iopub, frames(max_frames + 1, "x"));
    kernel->publish("status", R"({"execution_state":"idle"})");
    ASSERT_TRUE(receives(1));
    ASSERT_EQ(refused.size(), 3u);
    EXPECT_EQ(refused[0].second, errc::no_delimiter);
    EXPECT_EQ(refused[1].second, errc::bad_signature);
    EXPECT_EQ(refused[2].second, errc::too_large);
    EXPECT_EQ(refused[2].first, channel::iopub);
}

TEST_P(kernel_sockets_alone, keep_the_order_around_a_message_that_is_checked_apart) {
    start();
    auto large = "\"" + std::string(3'000'000, 'x') + "\"";
    for (const std::string& content : {std::string("1"), large, std::string("2"), large, std::string("3")})
        kernel->publish("display_data", content);
    ASSERT_TRUE(receives(5));
    EXPECT_EQ(received[0].content, "1");
    EXPECT_EQ(received[1].content, large);
    EXPECT_EQ(received[2].content, "2");
    EXPECT_EQ(received[4].content, "3");
}

TEST_P(kernel_sockets_alone, refuse_a_large_message_with_a_wrong_signature_and_go_on) {
    start();
    std::string large(2'000'000, 'x');
    kernel->send_frames(channel::iopub, {"<IDS|MSG>", std::string(64, '0'), "{}", "{}", "{}", large});
    kernel->send_frames(channel::iopub, {large});
    kernel->publish("status", R"({"execution_state":"idle"})");
    ASSERT_TRUE(receives(1));
    ASSERT_EQ(refused.size(), 2u);
    EXPECT_EQ(refused[0].second, errc::bad_signature);
    EXPECT_EQ(refused[1].second, errc::no_delimiter);
}

TEST_P(kernel_sockets_alone, can_go_while_a_message_is_checked_apart) {
    start();
    kernel->publish("status", "{}");
    kernel->publish("display_data", "\"" + std::string(30'000'000, 'x') + "\"");
    kernel->settle();
    ASSERT_TRUE(receives(1));
    sockets.reset();
    pool.join();
    io.restart();
    io.poll();
    EXPECT_EQ(received.size(), 1u);
}

TEST_P(kernel_sockets_alone, have_not_ended_while_a_message_is_checked_apart) {
    start();
    kernel->publish("display_data", "\"" + std::string(3'000'000, 'x') + "\"");
    kernel->publish("status", "{}");
    kernel->settle();
    ASSERT_TRUE(receives(1));
    kernel.reset();
    ASSERT_TRUE(ends());
    EXPECT_EQ(received.size(), 2u);
}

TEST_P(kernel_sockets_alone, say_so_when_the_address_is_useless) {
    info = connection();
    info.transport = "tcp";
    info.ip = "not an address";
    connect();
    EXPECT_TRUE(refused.empty());
    ASSERT_TRUE(run_until(io, [&] { return refused.size() == 4; }));
    EXPECT_EQ(refused[0].second, errc::socket_failed);
    EXPECT_EQ(sockets->send(request("kernel_info_request")).error(), errc::socket_failed);
    EXPECT_FALSE(beats(1000));
}

TEST_P(kernel_sockets_alone, refuse_to_send_on_iopub) {
    start();
    EXPECT_EQ(sockets->send(request("x", "{}", channel::iopub)).error(), errc::bad_channel);
}

INSTANTIATE_TEST_SUITE_P(over, kernel_sockets_alone, testing::Values(path_kind::ipc),
                         [](const auto&) { return "ipc"; });

TEST(kernel_sockets, have_room_for_hundreds_of_kernels) {
    rlimit files{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
    boost::asio::io_context io;
    test_support::temporary_directory directory;
    std::vector<std::unique_ptr<kernel_sockets>> many;
    std::size_t refused = 0;
    for (int count = 0; count < 210; ++count)
        many.push_back(std::make_unique<kernel_sockets>(
            io.get_executor(), test_support::ipc_connection(directory.path()), [](message) {},
            [&](channel, boost::system::error_code) { ++refused; }));
    io.poll();
    EXPECT_EQ(refused, 0u);
}

}  // namespace
}  // namespace messaging
