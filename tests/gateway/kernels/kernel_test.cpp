#include "gateway/kernels/kernel.hpp"

#include <csignal>
#include <filesystem>

#include "tests/gateway/kernels/kernel_fixture.hpp"

namespace gateway::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class kernel_test : public kernel_fixture {};

TEST_F(kernel_test, a_started_kernel_is_idle_and_its_listener_knows_only_that) {
    auto& kernel = start();
    settle();
    EXPECT_EQ(kernel.state(), kernel_state::idle);
    EXPECT_THAT(listener.events, ElementsAre("idle"));
    EXPECT_THAT(kernel.info_reply(), HasSubstr("\"implementation\":\"fake\""));
    EXPECT_EQ(kernel.kernel_session(), processes.kernel().session());
}

TEST_F(kernel_test, a_client_gets_every_message_of_its_request_in_order) {
    auto& kernel = start();
    execute(kernel, "hello");
    ASSERT_TRUE(until_event("execute_reply"));
    ASSERT_TRUE(until_event("status", 2));
    std::vector<std::string> published;
    for (const auto& each : listener.messages)
        if (each->where == messaging::channel::iopub)
            published.push_back(messaging::parse_header(each->header).value().msg_type);
    EXPECT_THAT(published, ElementsAre("status", "execute_input", "stream", "status"));
}

TEST_F(kernel_test, the_first_output_is_never_missed) {
    for (int round = 0; round < 20; ++round) {
        auto& kernel = start();
        execute(kernel, "first");
        ASSERT_TRUE(until_event("stream", static_cast<std::size_t>(round) + 1));
    }
}

TEST_F(kernel_test, a_slow_subscription_is_waited_for) {
    // The first two answers publish nothing, as if the subscription had come too late for them.
    processes.prepare_kernel = [](auto& fake) {
        auto answers = std::make_shared<int>(0);
        fake.when("kernel_info_request", [answers](auto& kernel, const auto& request) {
            if (++*answers > 4) kernel.busy(request);
            kernel.reply(request, R"({"status":"ok"})");
        });
    };
    auto& kernel = start();
    EXPECT_EQ(kernel.state(), kernel_state::idle);
}

TEST_F(kernel_test, a_welcome_is_a_first_message_and_not_for_clients) {
    processes.prepare_kernel = [](auto& fake) {
        fake.when("kernel_info_request", [](auto& kernel, const auto& request) {
            // As xeus sends it: no parent, no session.
            auto welcome = messaging::make_message(messaging::channel::iopub, "iopub_welcome", "", "{}", "null");
            kernel.publish(welcome);
            kernel.reply(request, R"({"status":"ok"})");
        });
    };
    auto& kernel = start();
    settle();
    EXPECT_THAT(listener.events, ElementsAre("idle"));
    processes.kernel().publish("status", R"({"execution_state":"busy"})", "null");
    ASSERT_TRUE(until_event("status"));
    EXPECT_EQ(listener.messages.back()->parent_header, "{}");
    EXPECT_EQ(kernel.kernel_session(), processes.kernel().session());
}

TEST_F(kernel_test, messages_are_refused_until_the_kernel_is_ready) {
    auto& kernel = make();
    auto message = messaging::make_message(messaging::channel::shell, "execute_request", "a-client", "{}");
    auto sent = kernel.send(message);
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, errc::kernel_dead);
}

TEST_F(kernel_test, another_listener_can_take_over) {
    auto& kernel = start();
    recording_listener other;
    kernel.set_listener(other);
    execute(kernel, "hello");
    EXPECT_TRUE(until([&] { return other.count("execute_reply") == 1; }));
    EXPECT_THAT(listener.events, ElementsAre("idle"));
    kernels.clear();
}

TEST_F(kernel_test, an_interrupt_is_sigint_to_the_group) {
    auto& kernel = start();
    EXPECT_TRUE(run(kernel.interrupt()));
    EXPECT_THAT(processes.latest().signals, ElementsAre(SIGINT));
}

TEST_F(kernel_test, an_interrupt_by_message_waits_for_its_reply) {
    auto what = options();
    what.spec.interrupt_mode = "message";
    auto& kernel = start(what);
    EXPECT_TRUE(run(kernel.interrupt()));
    EXPECT_TRUE(processes.kernel().next_request("interrupt_request"));
    EXPECT_TRUE(processes.latest().signals.empty());
    settle();
    EXPECT_THAT(listener.events, ElementsAre("idle"));
}

TEST_F(kernel_test, an_interrupt_by_message_without_a_reply_is_a_timeout) {
    shared.limits.interrupt_wait = milliseconds(30);
    auto what = options();
    what.spec.interrupt_mode = "message";
    auto& kernel = start(what);
    processes.kernel().when("interrupt_request", [](auto&, const auto&) {});
    auto outcome = run(kernel.interrupt());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, errc::timeout);
}

TEST_F(kernel_test, an_interrupt_of_a_kernel_that_dies_meanwhile_says_so) {
    auto what = options();
    what.spec.interrupt_mode = "message";
    auto& kernel = start(what);
    processes.kernel().when("interrupt_request", [this](auto&, const auto&) {
        asio::post(io, [this] { processes.end(processes.latest(), SIGSEGV); });
    });
    auto outcome = run(kernel.interrupt());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, errc::kernel_dead);
}

TEST_F(kernel_test, there_is_nothing_to_interrupt_before_the_start_and_nobody_after_the_end) {
    auto& kernel = make();
    EXPECT_TRUE(run(kernel.interrupt()));
    run(kernel.shutdown(end_reason::session_ended));
    EXPECT_FALSE(run(kernel.interrupt()));
}

TEST_F(kernel_test, a_client_outside_the_box_can_use_the_connection_file) {
    auto& kernel = start();
    EXPECT_TRUE(fs::exists(kernel.connection_file()));
    EXPECT_EQ(fs::status(kernel.connection_file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(kernel_test, the_transport_of_the_metadata_is_used) {
    auto what = options();
    what.spec.hints.over = transport::tcp;
    start(what);
    EXPECT_EQ(processes.kernel().connection().transport, "tcp");
}

TEST_F(kernel_test, a_runtime_directory_may_be_deeper_than_a_socket_address_is_long) {
    shared.runtime_dir = root.path() + "/" + std::string(120, 'd');
    fs::create_directory(shared.runtime_dir);
    auto link = root.path() + "/short";  // what the kernel sees is short, as /run/k is
    processes.place = [&](std::string directory) {
        fs::create_directory_symlink(directory, link);
        return link;
    };
    EXPECT_EQ(start().state(), kernel_state::idle);
}

TEST_F(kernel_test, fifty_kernels_that_start_at_once_all_come_up) {
    std::size_t ready = 0;
    auto one = [&]() -> awaitable<void> {
        auto& mine = make();
        auto started = co_await mine.start();
        EXPECT_TRUE(started);
        ++ready;
    };
    for (int i = 0; i < 50; ++i) asio::co_spawn(io, one(), asio::detached);
    EXPECT_TRUE(test_support::run_until(
        io, [&] { return ready == 50; }, std::chrono::seconds(50)));
    EXPECT_EQ(processes.alive(), 50u);
}

}  // namespace
}  // namespace gateway::kernels
