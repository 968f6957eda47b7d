#include <boost/asio/post.hpp>
#include <csignal>
#include <filesystem>

#include "tests/gateway/kernels/kernel_fixture.hpp"

namespace gateway::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using behaviour = fake_launcher::behaviour;
namespace fs = std::filesystem;

class kernel_lifecycle_test : public kernel_fixture {
  protected:
    kernel_lifecycle_test() {
        shared.limits.shutdown_wait = milliseconds(50);
        shared.limits.launch_timeout = milliseconds(1500);
    }

    // Spawned and cancelled on the io thread, as all that the gateway does.
    template <class T>
    void cancel_after(int steps, awaitable<T> what) {
        asio::cancellation_signal signal;
        bool done = false;
        asio::post(io, [&, what = std::move(what)]() mutable {
            asio::co_spawn(io, std::move(what),
                           asio::bind_cancellation_slot(signal.slot(), [&](auto&&...) { done = true; }));
        });
        io.restart();
        for (int step = 0; step <= steps && !done; ++step) io.poll_one();
        asio::post(io, [&] {
            if (!done) signal.emit(asio::cancellation_type::all);
        });
        EXPECT_TRUE(until([&] { return done; })) << steps;
    }
};

TEST_F(kernel_lifecycle_test, a_death_restarts_the_kernel_and_is_told_before_anything_new) {
    auto& kernel = start();
    auto before = kernel.kernel_session();
    processes.end(processes.latest(), SIGKILL);
    ASSERT_TRUE(until_event("idle", 2));
    EXPECT_THAT(listener.events, ElementsAre("idle", "restarting killed", "idle"));
    EXPECT_EQ(kernel.restarts(), 1);
    EXPECT_NE(kernel.kernel_session(), before);
    execute(kernel, "again");
    EXPECT_TRUE(until_event("execute_reply"));
}

TEST_F(kernel_lifecycle_test, a_death_for_memory_is_told_as_that) {
    auto& kernel = start();
    processes.end(processes.latest(), {SIGKILL, true});
    ASSERT_TRUE(until_event("idle", 2));
    EXPECT_THAT(listener.events, ElementsAre("idle", "restarting oom", "idle"));
    EXPECT_EQ(kernel.restarts(), 1);
}

TEST_F(kernel_lifecycle_test, limits_hold_for_every_process_of_a_kernel_and_can_be_changed) {
    const ::kernel::box_limits first{500, 1 << 30, 64}, second{1'000, 0, 0}, third{};
    auto what = options();
    what.limits = first;
    auto& kernel = start(what);
    EXPECT_EQ(processes.latest().request.limits, first);
    kernel.set_limits(second, true);
    EXPECT_THAT(processes.latest().limits, ElementsAre(second));
    kernel.set_limits(third, false);
    EXPECT_EQ(processes.latest().limits.size(), 1u);
    EXPECT_TRUE(run(kernel.restart(end_reason::restarted, true)));
    EXPECT_EQ(processes.latest().request.limits, third);
}

TEST_F(kernel_lifecycle_test, what_a_dead_kernel_still_sent_comes_before_the_news_of_its_death) {
    constexpr std::size_t lines = 5'000;
    auto& kernel = start();
    execute(kernel, "");
    ASSERT_TRUE(until_event("status", 2));
    auto request = processes.kernel().next_request("execute_request");
    ASSERT_TRUE(request);
    for (std::size_t i = 0; i < lines; ++i) processes.kernel().print(*request, "line");
    processes.kernel().settle();
    processes.end(processes.latest(), SIGSEGV, true);
    ASSERT_TRUE(until_event("restarting crashed"));
    EXPECT_EQ(listener.count("stream"), lines);
    EXPECT_EQ(listener.events.back(), "restarting crashed");
}

TEST_F(kernel_lifecycle_test, programs_run_beside_the_process_that_there_is) {
    auto& kernel = start();
    auto first = run(kernel.run({{"ls"}, {}, {}}, {}, {}));
    ASSERT_TRUE(first);
    EXPECT_EQ(processes.programs.back().request.box, processes.latest().request.id);
    kernel.signal_program(*first, SIGTERM, true);
    EXPECT_THAT(processes.programs.back().signals, ElementsAre(std::pair(SIGTERM, true)));
    processes.end(processes.latest(), SIGKILL);
    ASSERT_TRUE(until_event("idle", 2));
    ASSERT_TRUE(run(kernel.run({{"ls"}, {}, {}}, {}, {})));
    EXPECT_EQ(processes.programs.back().request.box, processes.latest().request.id);
    EXPECT_NE(processes.programs.back().request.id, *first);
    run(kernel.shutdown(end_reason::session_ended));
    EXPECT_EQ(run(kernel.run({{"ls"}, {}, {}}, {}, {})).error().code, errc::kernel_dead);
}

TEST_F(kernel_lifecycle_test, a_program_that_cannot_be_started_says_why) {
    auto& kernel = start();
    processes.refuse_programs = failure{errc::invalid_request, "no such program"};
    EXPECT_EQ(run(kernel.run({{"ls"}, {}, {}}, {}, {})).error().message, "no such program");
}

TEST_F(kernel_lifecycle_test, a_kernel_that_exits_at_once_is_dead_after_six_tries_with_its_last_words) {
    processes.next(behaviour::exits, 6);
    auto& kernel = make();
    auto started = run(kernel.start());
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, errc::kernel_start_failed);
    EXPECT_THAT(started.error().message, HasSubstr("exit status 1"));
    EXPECT_THAT(started.error().message, HasSubstr("ImportError: no module named x"));
    EXPECT_THAT(listener.events, ElementsAre("dead start_failed"));
    EXPECT_EQ(processes.children().size(), 6u);
    EXPECT_EQ(kernel.failure_text(), started.error().message);
    EXPECT_EQ(kernel.reason(), end_reason::start_failed);
}

TEST_F(kernel_lifecycle_test, an_exit_that_is_reported_before_the_launch_is_answered_counts) {
    processes.next(behaviour::exits_early);
    start();
    EXPECT_EQ(processes.children().size(), 2u);
    EXPECT_EQ(processes.kernel().connection().transport, "tcp");
}

TEST_F(kernel_lifecycle_test, the_next_kernel_of_a_spec_takes_the_transport_that_worked) {
    processes.next(behaviour::exits);
    start();
    start();
    EXPECT_EQ(processes.children().size(), 3u);
    EXPECT_EQ(processes.kernel().connection().transport, "tcp");
}

TEST_F(kernel_lifecycle_test, a_kernel_that_crashes_again_and_again_is_given_up) {
    auto& kernel = start();
    for (std::size_t death = 1; death <= 5; ++death) {
        processes.end(processes.latest(), SIGSEGV);
        ASSERT_TRUE(until_event("idle", death + 1));
    }
    processes.end(processes.latest(), SIGSEGV);
    ASSERT_TRUE(until_event("dead crashed"));
    EXPECT_EQ(kernel.restarts(), 5);
    EXPECT_THAT(kernel.failure_text(), HasSubstr("signal 11"));
    EXPECT_EQ(processes.alive(), 0u);
}

TEST_F(kernel_lifecycle_test, cells_that_work_between_crashes_keep_the_kernel) {
    auto& kernel = start();
    for (std::size_t death = 1; death <= 8; ++death) {
        execute(kernel, "works");
        ASSERT_TRUE(until_event("execute_reply", death));
        processes.end(processes.latest(), SIGSEGV);
        ASSERT_TRUE(until_event("idle", death + 1));
    }
}

TEST_F(kernel_lifecycle_test, a_dead_kernel_can_be_started_again) {
    processes.next(behaviour::exits, 6);
    auto& kernel = make();
    ASSERT_FALSE(run(kernel.start()));
    EXPECT_TRUE(run(kernel.restart(end_reason::restarted, false)));
    EXPECT_THAT(listener.events, ElementsAre("dead start_failed", "restarting restarted", "idle"));
    EXPECT_TRUE(fs::exists(kernel.connection_file()));
}

TEST_F(kernel_lifecycle_test, a_silent_kernel_is_ended_and_the_error_names_the_setting) {
    shared.limits.launch_timeout = milliseconds(50);
    processes.next(behaviour::is_silent, 2);
    auto& kernel = make();
    auto started = run(kernel.start());
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message, HasSubstr("kernels.launch_timeout_s"));
    EXPECT_EQ(processes.alive(), 0u);
    EXPECT_EQ(processes.children().size(), 2u);
}

TEST_F(kernel_lifecycle_test, a_launch_that_fails_says_why) {
    processes.next(behaviour::is_refused);
    auto& kernel = make();
    auto started = run(kernel.start());
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error(), (failure{errc::kernel_start_failed, "no box could be made"}));
}

TEST_F(kernel_lifecycle_test, a_spec_whose_program_is_missing_fails_without_a_launch) {
    auto what = options();
    what.spec.argv = {"/nowhere/kernel"};
    auto& kernel = make(what);
    auto started = run(kernel.start());
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message, HasSubstr("/nowhere/kernel"));
    EXPECT_TRUE(processes.children().empty());
}

TEST_F(kernel_lifecycle_test, restarts_that_are_asked_for_at_once_are_one) {
    auto& kernel = start();
    int done = 0;
    for (int i = 0; i < 3; ++i) {
        asio::co_spawn(io, kernel.restart(end_reason::restarted, false), [&](std::exception_ptr, result<void> outcome) {
            EXPECT_TRUE(outcome);
            ++done;
        });
    }
    ASSERT_TRUE(until([&] { return done == 3; }));
    EXPECT_EQ(processes.children().size(), 2u);
    EXPECT_EQ(kernel.restarts(), 1);
    EXPECT_THAT(listener.events, ElementsAre("idle", "restarting restarted", "idle"));
}

TEST_F(kernel_lifecycle_test, a_restart_interrupts_asks_and_does_not_kill_a_kernel_that_obeys) {
    shared.limits.shutdown_wait = milliseconds(5'000);
    auto& kernel = start();
    ASSERT_TRUE(run(kernel.restart(end_reason::restarted, false)));
    EXPECT_THAT(processes.children().front().signals, ElementsAre(SIGINT));
    EXPECT_FALSE(processes.children().front().killed);
}

TEST_F(kernel_lifecycle_test, what_a_kernel_prints_while_it_shuts_down_is_output) {
    auto& kernel = start();
    processes.kernel().when("shutdown_request", [this](auto& fake, const auto& request) {
        fake.busy(request);
        fake.print(request, "goodbye");
        fake.idle(request);
        asio::post(io, [this] { processes.end(processes.latest(), 0, true); });
    });
    run(kernel.shutdown(end_reason::session_ended));
    EXPECT_THAT(listener.events, ElementsAre("idle", "stream", "dead session_ended"));
}

TEST_F(kernel_lifecycle_test, a_restart_kills_a_kernel_that_does_not_obey) {
    auto& kernel = start();
    processes.kernel().when("shutdown_request", [](auto&, const auto&) {});
    ASSERT_TRUE(run(kernel.restart(end_reason::restarted, false)));
    EXPECT_TRUE(processes.children().front().killed);
}

TEST_F(kernel_lifecycle_test, a_killing_restart_asks_nobody) {
    auto& kernel = start();
    ASSERT_TRUE(run(kernel.restart(end_reason::deadline, true)));
    EXPECT_TRUE(processes.children().front().killed);
    EXPECT_THAT(listener.events, ElementsAre("idle", "restarting deadline", "idle"));
}

TEST_F(kernel_lifecycle_test, messages_are_taken_until_the_end_is_told_and_then_refused_until_it_is_ready) {
    auto& kernel = start();
    auto message = messaging::make_message(messaging::channel::shell, "execute_request", "a-client", "{}");
    processes.kernel().when("shutdown_request", [](auto&, const auto&) {});
    asio::co_spawn(io, kernel.restart(end_reason::restarted, false), asio::detached);
    settle();
    ASSERT_EQ(kernel.state(), kernel_state::restarting);
    EXPECT_TRUE(kernel.send(message));
    bool asked = false;
    listener.then = [&](const std::string& what) {
        if (what != "restarting restarted") return;
        EXPECT_FALSE(kernel.send(message));
        asked = true;
    };
    ASSERT_TRUE(until_event("idle", 2));
    EXPECT_TRUE(asked);
    EXPECT_TRUE(kernel.send(message));
}

TEST_F(kernel_lifecycle_test, a_shutdown_leaves_no_process_and_no_file) {
    auto& kernel = start();
    run(kernel.shutdown(end_reason::session_ended));
    EXPECT_THAT(listener.events, ElementsAre("idle", "dead session_ended"));
    EXPECT_EQ(processes.alive(), 0u);
    EXPECT_TRUE(fs::is_empty(root.path()));
    auto restarted = run(kernel.restart(end_reason::restarted, false));
    ASSERT_FALSE(restarted);
    EXPECT_EQ(restarted.error().code, errc::kernel_dead);
}

TEST_F(kernel_lifecycle_test, a_shutdown_kills_a_kernel_that_does_not_obey) {
    auto& kernel = start();
    processes.kernel().when("shutdown_request", [](auto&, const auto&) {});
    run(kernel.shutdown(end_reason::culled));
    EXPECT_TRUE(processes.latest().killed);
    EXPECT_EQ(kernel.reason(), end_reason::culled);
    EXPECT_TRUE(fs::is_empty(root.path()));
}

TEST_F(kernel_lifecycle_test, a_shutdown_ends_a_start_that_hangs) {
    shared.limits.launch_timeout = milliseconds(60'000);
    processes.next(behaviour::hangs);
    auto& kernel = make();
    std::optional<result<void>> started;
    asio::co_spawn(io, kernel.start(), [&](std::exception_ptr, result<void> outcome) { started = outcome; });
    ASSERT_TRUE(until([&] { return !processes.children().empty(); }));
    bool ended = false;
    asio::co_spawn(io, kernel.shutdown(end_reason::session_ended), [&](std::exception_ptr) { ended = true; });
    settle();
    processes.release();
    ASSERT_TRUE(until([&] { return ended && started; }));
    EXPECT_FALSE(*started);
    EXPECT_EQ(started->error().code, errc::kernel_dead);
    EXPECT_EQ(processes.alive(), 0u);
}

TEST_F(kernel_lifecycle_test, a_kernel_given_up_while_it_starts_leaves_nothing) {
    auto& kernel = make();
    std::optional<result<void>> started;
    asio::co_spawn(io, kernel.start(), [&](std::exception_ptr, result<void> outcome) { started = outcome; });
    ASSERT_TRUE(until([&] { return !processes.children().empty(); }));
    kernels.clear();
    ASSERT_TRUE(until([&] { return started.has_value(); }));
    EXPECT_EQ(started->error().code, errc::cancelled);
    settle();
    EXPECT_EQ(processes.alive(), 0u);
    EXPECT_TRUE(listener.events.empty());
    EXPECT_TRUE(fs::is_empty(root.path()));
}

TEST_F(kernel_lifecycle_test, a_process_whose_kernel_was_given_up_is_killed_when_it_comes) {
    processes.next(behaviour::hangs);
    auto& kernel = make();
    bool done = false;
    asio::co_spawn(io, kernel.start(), [&](std::exception_ptr, result<void>) { done = true; });
    ASSERT_TRUE(until([&] { return !processes.children().empty(); }));
    kernels.clear();
    ASSERT_TRUE(until([&] { return done; }));
    processes.release();
    EXPECT_TRUE(until([&] { return processes.children().front().killed; }));
}

TEST_F(kernel_lifecycle_test, every_wait_ends_when_the_kernel_goes) {
    auto what = options();
    what.spec.interrupt_mode = "message";
    auto& kernel = start(what);
    processes.kernel().when("interrupt_request", [](auto&, const auto&) {});
    processes.kernel().when("shutdown_request", [](auto&, const auto&) {});
    int ended = 0;
    auto count = [&](std::exception_ptr, result<void> outcome) {
        EXPECT_FALSE(outcome);
        ++ended;
    };
    asio::co_spawn(io, kernel.interrupt(), count);
    asio::co_spawn(io, kernel.restart(end_reason::restarted, false), count);
    asio::co_spawn(io, kernel.shutdown(end_reason::session_ended), [&](std::exception_ptr) { ++ended; });
    io.restart();
    io.poll();
    kernels.clear();
    EXPECT_TRUE(until([&] { return ended == 3; }));
}

// Cancelled after every number of steps that the coroutine may take: the kernel goes its way without the caller.
TEST_F(kernel_lifecycle_test, a_caller_that_is_cancelled_anywhere_does_not_disturb_the_kernel) {
    for (int steps = 0; steps < 12; ++steps) {
        auto what = options("python");
        what.spec.interrupt_mode = "message";
        shared.package_dir = "/package";
        auto& kernel = make(what);
        cancel_after(steps, kernel.start());
        ASSERT_TRUE(until([&] { return kernel.state() == kernel_state::idle || steps == 0; }));
        if (steps == 0) {
            EXPECT_TRUE(run(kernel.start()));
        }
        cancel_after(steps, kernel.interrupt());
        cancel_after(steps, kernel.configure({{"A", "1"}}, "{}"));
        cancel_after(steps, kernel.restart(end_reason::restarted, false));
        EXPECT_TRUE(run(kernel.restart(end_reason::restarted, true)));
        cancel_after(steps, kernel.shutdown(end_reason::session_ended));
        run(kernel.shutdown(end_reason::session_ended));
        EXPECT_EQ(processes.alive(), 0u) << steps;
        kernels.clear();
    }
}

TEST_F(kernel_lifecycle_test, a_listener_may_end_the_kernel_from_any_of_its_calls) {
    for (const std::string last : {"idle", "stream", "restarting crashed", "dead session_ended"}) {
        listener.events.clear();
        listener.then = [&](const std::string& what) {
            if (what == last) kernels.clear();
        };
        auto& kernel = make();
        asio::co_spawn(io, kernel.start(), [&](std::exception_ptr, result<void> outcome) {
            if (!outcome || kernels.empty()) return;
            execute(*kernels.back(), "out");
            processes.end(processes.latest(), SIGSEGV, true);
            if (last.starts_with("dead"))
                asio::co_spawn(io, kernels.back()->shutdown(end_reason::session_ended), asio::detached);
        });
        EXPECT_TRUE(until([&] { return listener.count(last) == 1 && kernels.empty(); })) << last;
        settle();
        EXPECT_EQ(listener.events.back(), last);
    }
}

TEST_F(kernel_lifecycle_test, a_stopped_kernel_is_not_taken_for_dead) {
    // Nothing but its exit ends a kernel: one that a debugger stopped answers on control only.
    auto& kernel = start();
    processes.kernel().when("execute_request", [](auto&, const auto&) {});
    execute(kernel, "breakpoint()");
    ASSERT_TRUE(processes.kernel().next_request("execute_request"));
    settle();
    EXPECT_EQ(kernel.state(), kernel_state::idle);
    EXPECT_EQ(processes.alive(), 1u);
}

}  // namespace
}  // namespace gateway::kernels
