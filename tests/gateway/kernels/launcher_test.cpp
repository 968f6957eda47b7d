// The gateway's client of a real launcher process.
#include "gateway/kernels/launcher.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/run_until.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

using testing::HasSubstr;

class the_launcher : public testing::Test {
  protected:
    the_launcher() : process_(launcher_process::start(CELLGATE_LAUNCHER).value()) {
        client_ = process_->connect(io_.get_executor());
    }

    ::kernel::launch_request script(const std::string& text) {
        ::kernel::launch_request what;
        what.id = "kernel-" + std::to_string(++made_);
        what.argv = {"/bin/sh", "-c", text};
        what.env = {{"PATH", "/usr/bin:/bin"}};
        what.output_file = directory_.path() + "/" + what.id;
        return what;
    }

    void begin(const ::kernel::launch_request& what) {
        auto finish = [this, id = what.id](process_end end) { exits_[id] = end.status; };
        auto store = [this, id = what.id](std::exception_ptr error, result<process> outcome) {
            if (!error) outcomes_.emplace(id, std::move(outcome));
        };
        asio::co_spawn(io_, client_->launch(what, finish), store);
    }

    result<process> launch(const ::kernel::launch_request& what) {
        begin(what);
        EXPECT_TRUE(run_until([&] { return outcomes_.contains(what.id); })) << "no answer";
        return outcomes_.at(what.id);
    }

    static ::kernel::run_request program(const std::string& id, const ::kernel::launch_request& host,
                                         const std::string& text) {
        return {id, host.id, {"sh", "-c", text}, host.env, "/home/user"};
    }
    static program_files open_files() {
        program_files files;
        for (auto& each : files) each.reset(open("/dev/null", O_RDWR | O_CLOEXEC));
        return files;
    }
    result<void> run_beside(const ::kernel::launch_request& host, const std::string& id, const std::string& text) {
        auto answer = std::make_shared<std::optional<result<void>>>();
        auto store = [answer](std::exception_ptr error, result<void> outcome) {
            if (!error) answer->emplace(std::move(outcome));
        };
        program_files files = open_files();
        auto tell = [this, id](program_end how) { ends_[id] = how; };
        asio::co_spawn(io_, client_->run(program(id, host, text), std::move(files), tell), store);
        EXPECT_TRUE(run_until([&] { return answer->has_value(); })) << "no answer";
        return **answer;
    }
    bool run_until_end(const std::string& id) {
        return run_until([&] { return ends_.contains(id); });
    }

    template <class Condition>
    bool run_until(Condition condition) {
        return test_support::run_until(io_, condition, std::chrono::seconds(20));
    }
    bool run_until_exit(const std::string& id) {
        return run_until([&] { return exits_.contains(id); });
    }
    std::string output(const ::kernel::launch_request& what) const {
        std::ostringstream text;
        text << std::ifstream(what.output_file).rdbuf();
        return text.str();
    }
    static std::string status_of(int pid) {
        std::ostringstream text;
        text << std::ifstream("/proc/" + std::to_string(pid) + "/status").rdbuf();
        return text.str();
    }
    // This test's only child.
    int launcher_pid() const {
        std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
        int pid = 0;
        children >> pid;
        return pid;
    }

    test_support::temporary_directory directory_;
    asio::io_context io_;
    std::optional<launcher_process> process_;
    std::unique_ptr<launcher> client_;
    std::map<std::string, result<process>> outcomes_;
    std::map<std::string, int> exits_;
    std::map<std::string, program_end> ends_;
    int made_ = 0;
};

TEST_F(the_launcher, runs_a_program_and_tells_its_end) {
    auto what = script("echo hello; exit 3");
    auto started = launch(what);
    ASSERT_TRUE(started);
    EXPECT_GT(started->pid, 0);
    EXPECT_GT(started->init_pid, 0);
    ASSERT_TRUE(run_until_exit(what.id));
    EXPECT_EQ(WEXITSTATUS(exits_[what.id]), 3);
    EXPECT_EQ(output(what), "hello\n");
}

TEST_F(the_launcher, tells_why_a_program_did_not_start) {
    auto what = script("");
    what.argv = {"/no/such/program"};
    auto started = launch(what);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, errc::kernel_start_failed);
    EXPECT_THAT(started.error().message, HasSubstr("/no/such/program"));
}

TEST_F(the_launcher, signals_and_kills) {
    auto interrupted = script("exec sleep 1000");
    auto killed = script("trap '' INT; sleep 1000");
    auto first = launch(interrupted);
    auto second = launch(killed);
    client_->signal(*first, SIGINT);
    ASSERT_TRUE(run_until_exit(interrupted.id));
    EXPECT_EQ(WTERMSIG(exits_[interrupted.id]), SIGINT);
    client_->kill(*second);
    ASSERT_TRUE(run_until_exit(killed.id));
    EXPECT_EQ(WTERMSIG(exits_[killed.id]), SIGKILL);
}

TEST_F(the_launcher, runs_programs_beside_a_kernel) {
    auto host = script("exec sleep 1000");
    ASSERT_TRUE(launch(host));
    ASSERT_TRUE(run_beside(host, "a", "exit 3"));
    ASSERT_TRUE(run_until_end("a"));
    EXPECT_EQ(WEXITSTATUS(ends_.at("a").status), 3);
    EXPECT_FALSE(ends_.at("a").box_ended);
    ASSERT_TRUE(run_beside(host, "b", "exec sleep 1000"));
    client_->signal_run("b", SIGTERM, true);
    ASSERT_TRUE(run_until_end("b"));
    EXPECT_EQ(WTERMSIG(ends_.at("b").status), SIGTERM);
}

TEST_F(the_launcher, tells_why_a_program_does_not_run) {
    auto host = script("exec sleep 1000");
    auto refused = run_beside(host, "a", "true");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::kernel_dead);
    EXPECT_THAT(refused.error().message, HasSubstr("kernel does not run"));
    ASSERT_TRUE(launch(host));
    refused = run_beside(host, "b", std::string(5 << 20, 'x'));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("too large"));
}

TEST_F(the_launcher, tells_that_programs_ended_with_their_kernel) {
    auto host = script("exec sleep 1000");
    auto started = launch(host);
    ASSERT_TRUE(run_beside(host, "a", "trap '' TERM; sleep 1000"));
    client_->kill(*started);
    ASSERT_TRUE(run_until_end("a"));
    EXPECT_TRUE(ends_.at("a").box_ended);
    ASSERT_TRUE(run_until_exit(host.id));
}

TEST_F(the_launcher, ends_a_program_that_nobody_waits_for_any_more) {
    auto host = script("exec sleep 1000");
    ASSERT_TRUE(launch(host));
    asio::cancellation_signal given_up;
    bool over = false;
    program_files files = open_files();
    auto work = client_->run(program("a", host, "exec sleep 1000"), std::move(files), {});
    auto done = [&](std::exception_ptr, const result<void>&) { over = true; };
    asio::co_spawn(io_, std::move(work), asio::bind_cancellation_slot(given_up.slot(), done));
    io_.poll();
    given_up.emit(asio::cancellation_type::terminal);
    ASSERT_TRUE(run_until([&] { return over; }));
    ASSERT_TRUE(run_beside(host, "b", "for i in $(seq 1000); do pgrep -xc sleep | grep -qx 1 && exit 0; done; exit 1"));
    ASSERT_TRUE(run_until_end("b"));
    EXPECT_EQ(ends_.at("b").status, 0) << "only the kernel is left";
}

// A process that is stopped takes no signal: it shows that one has come.
TEST_F(the_launcher, knows_when_a_signal_has_come) {
    auto what = script("kill -STOP $$");
    auto stopped = launch(what);
    asio::steady_timer tick(io_);
    ASSERT_TRUE(run_until([&] {
        tick.expires_after(std::chrono::milliseconds(1));
        tick.async_wait([](boost::system::error_code) {});
        return status_of(stopped->pid).find("State:\tT") != std::string::npos;
    }));
    bool has_come = false;
    client_->signal(*stopped, SIGINT);
    asio::co_spawn(io_, client_->delivered(*stopped), [&](std::exception_ptr) { has_come = true; });
    ASSERT_TRUE(run_until([&] { return has_come; }));
    EXPECT_THAT(status_of(stopped->pid), HasSubstr("ShdPnd:\t0000000000000002"));
    client_->kill(*stopped);
    ASSERT_TRUE(run_until_exit(what.id));
}

TEST_F(the_launcher, waits_for_no_signal_to_a_kernel_that_has_ended) {
    auto what = script("exec sleep 1000");
    auto ended = launch(what);
    client_->signal(*ended, SIGKILL);
    ASSERT_TRUE(run_until_exit(what.id));
    bool is_over = false;
    client_->signal(*ended, SIGINT);
    asio::co_spawn(io_, client_->delivered(*ended), [&](std::exception_ptr) { is_over = true; });
    EXPECT_TRUE(run_until([&] { return is_over; }));
}

TEST_F(the_launcher, starts_50_kernels_at_once) {
    std::vector<::kernel::launch_request> all;
    for (int i = 0; i < 50; ++i) all.push_back(script("echo $$"));
    // More than the socket takes at once.
    for (auto& each : all) each.env["PADDING"] = std::string(50'000, 'x');
    for (const auto& each : all) begin(each);
    EXPECT_TRUE(run_until([&] { return exits_.size() == all.size(); }));
    for (const auto& each : all) EXPECT_EQ(output(each), "2\n");
}

TEST_F(the_launcher, passes_an_environment_that_no_packet_holds) {
    auto what = script("printf %s \"$BIG$BIG2\" | wc -c");
    what.env["BIG"] = std::string(100'000, 'x');
    what.env["BIG2"] = std::string(100'000, '\x01');
    ASSERT_TRUE(launch(what));
    ASSERT_TRUE(run_until_exit(what.id));
    EXPECT_EQ(output(what), "200000\n");
}

TEST_F(the_launcher, refuses_a_request_of_absurd_size) {
    auto what = script("");
    what.env["BIG"] = std::string(5'000'000, 'x');
    auto started = launch(what);
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message, HasSubstr("too large"));
    EXPECT_TRUE(launch(script("true")));
}

TEST_F(the_launcher, refuses_an_id_that_is_alive) {
    auto what = script("sleep 1000");
    ASSERT_TRUE(launch(what));
    outcomes_.clear();
    auto again = launch(what);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, errc::conflict);
}

TEST_F(the_launcher, starts_the_same_id_again_from_its_exit_callback) {
    auto what = script("exit 0");
    bool again = false;
    auto relaunch = [&](process_end) {
        begin(what);
        again = true;
    };
    auto ignore = [](std::exception_ptr, result<process>) {};
    asio::co_spawn(io_, client_->launch(what, relaunch), ignore);
    ASSERT_TRUE(run_until_exit(what.id));
    EXPECT_TRUE(again);
    EXPECT_TRUE(outcomes_.at(what.id));
}

TEST_F(the_launcher, kills_a_kernel_whose_launch_was_cancelled) {
    auto what = script("sleep 1000");
    bool cancelled = false;
    auto never = [this](process_end) { exits_["never"] = 1; };
    auto outcome = [&](std::exception_ptr error, result<process>) { cancelled = error != nullptr; };
    asio::cancellation_signal signal;
    asio::co_spawn(io_, client_->launch(what, never), asio::bind_cancellation_slot(signal.slot(), outcome));
    io_.poll();
    signal.emit(asio::cancellation_type::all);
    EXPECT_TRUE(run_until([&] { return cancelled; }));
    // The id becomes free once that kernel is gone.
    EXPECT_TRUE(run_until([&] {
        auto free = script("true");
        free.id = what.id;
        auto next = launch(free);
        bool started = next.has_value();
        outcomes_.erase(what.id);
        return started;
    }));
    EXPECT_FALSE(exits_.contains("never"));
}

TEST_F(the_launcher, that_dies_takes_its_kernels_along_and_says_so) {
    auto first = script("sleep 1000");
    ASSERT_TRUE(launch(first));
    ::kill(launcher_pid(), SIGKILL);
    ASSERT_TRUE(run_until_exit(first.id));
    EXPECT_EQ(exits_[first.id], SIGKILL);
    auto late = launch(script("true"));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, errc::kernel_start_failed);
    EXPECT_THAT(late.error().message, HasSubstr("has ended (signal 9): restart the gateway"));
}

TEST_F(the_launcher, that_dies_is_told_of_before_its_kernels_are) {
    client_.reset();
    process_ = launcher_process::start(CELLGATE_LAUNCHER).value();
    int lost = 0;
    bool first_told = false;
    client_ = process_->connect(io_.get_executor(), [&] {
        ++lost;
        first_told = exits_.empty();
    });
    auto what = script("sleep 1000");
    ASSERT_TRUE(launch(what));
    ::kill(launcher_pid(), SIGKILL);
    ASSERT_TRUE(run_until_exit(what.id));
    EXPECT_EQ(lost, 1);
    EXPECT_TRUE(first_told);
}

TEST_F(the_launcher, that_is_ended_in_order_is_not_lost) {
    client_.reset();
    process_ = launcher_process::start(CELLGATE_LAUNCHER).value();
    bool lost = false;
    client_ = process_->connect(io_.get_executor(), [&] { lost = true; });
    ASSERT_TRUE(launch(script("sleep 1000")));
    client_.reset();
    process_.reset();
    io_.restart();
    io_.run();
    EXPECT_FALSE(lost);
}

TEST_F(the_launcher, that_dies_answers_the_launches_under_way) {
    ::kill(launcher_pid(), SIGSTOP);
    auto what = script("true");
    begin(what);
    io_.poll();
    ::kill(launcher_pid(), SIGKILL);
    EXPECT_TRUE(run_until([&] { return outcomes_.contains(what.id); }));
    EXPECT_FALSE(outcomes_.at(what.id));
    EXPECT_TRUE(exits_.empty());
}

TEST_F(the_launcher, ends_with_the_client_and_leaves_no_kernel) {
    auto what = script("sleep 1000");
    auto started = launch(what);
    client_.reset();
    process_.reset();
    EXPECT_NE(::kill(started->pid, 0), 0);
    EXPECT_EQ(launcher_pid(), 0);
    io_.restart();
    io_.run();
    EXPECT_TRUE(exits_.empty()) << "nobody may be called after the client has gone";
}

TEST_F(the_launcher, ends_also_when_its_process_object_goes_before_the_client) {
    auto what = script("sleep 1000");
    ASSERT_TRUE(launch(what));
    process_.reset();
    EXPECT_TRUE(run_until_exit(what.id));
}

TEST(a_fresh_launcher, says_what_it_can_limit_before_anything_else) {
    auto process = launcher_process::start(CELLGATE_LAUNCHER).value();
    auto can = process.limits();
    ASSERT_TRUE(can);
    EXPECT_EQ(can->reason.empty(), can->cpu && can->memory && can->pids);
    auto other = launcher_process::start("/bin/false").value();
    EXPECT_THAT(other.limits().error().message, HasSubstr("kernels.launcher"));
}

TEST(a_missing_launcher, is_named) {
    auto started = launcher_process::start("/no/cellgate-launcher");
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message, HasSubstr("/no/cellgate-launcher: No such file"));
}

TEST(a_program_that_is_no_launcher, fails_launches_with_its_status) {
    asio::io_context io;
    auto started = launcher_process::start("/bin/false");
    ASSERT_TRUE(started);
    auto client = started->connect(io.get_executor());
    std::optional<result<process>> outcome;
    auto store = [&](std::exception_ptr, result<process> got) { outcome = std::move(got); };
    asio::co_spawn(io, client->launch({}, nullptr), store);
    ASSERT_TRUE(test_support::run_until(io, [&] { return outcome.has_value(); }));
    EXPECT_THAT(outcome->error().message, HasSubstr("exit status 1"));
}

}  // namespace
}  // namespace gateway::kernels
