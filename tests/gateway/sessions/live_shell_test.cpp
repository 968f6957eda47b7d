// The commands of a session, over a kernel whose programs the test plays.
#include "gateway/sessions/live_shell.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <boost/asio/thread_pool.hpp>
#include <csignal>

#include "tests/gateway/kernels/kernel_fixture.hpp"

namespace gateway::sessions {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class the_shell : public kernels::kernel_fixture {
  protected:
    the_shell() : kernel(start()) {}
    ~the_shell() override {
        shell.reset();
        log.close();
        settle();
    }

    live_shell& make(shell_limits limits = {}) {
        shell_host host{{}, log, {}, directory.path(), text_limits{10, 1 << 20}, {}, {}};
        host.kernel = [this] { return std::shared_ptr<kernels::kernel>(std::shared_ptr<void>(), &kernel); };
        host.append = [this](entry what) { return log.append(std::move(what)); };
        host.ready = []() -> awaitable<result<void>> { co_return result<void>(); };
        host.active = [] {};
        shell = std::make_unique<live_shell>(io.get_executor(), std::move(host), limits);
        return *shell;
    }
    std::string begin(command_options what = bash("true")) {
        auto begun = run(shell->start(std::move(what)));
        EXPECT_TRUE(begun) << (begun ? "" : begun.error().message);
        return begun ? begun->cell_id : std::string();
    }
    static command_options bash(const std::string& text) {
        command_options what;
        what.text = text;
        return what;
    }
    kernels::fake_launcher::program& program() { return processes.programs.back(); }
    void print(int where, const std::string& text) {
        ASSERT_EQ(::write(program().files[where].get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    // The process ends and holds nothing open.
    void finish(kernels::fake_launcher::program& which, int status, bool box_ended = false) {
        which.files = {};
        which.on_end({status, box_ended});
    }
    shared_command ended(const std::string& id) {
        auto done = run(shell->wait_for(id));
        EXPECT_TRUE(done);
        return done ? *done : nullptr;
    }
    std::vector<std::string> events() {
        settle();
        std::vector<std::string> types;
        for (const auto& each : read_log()) types.push_back(each->type);
        return types;
    }
    std::vector<shared_entry> read_log() {
        auto read = [this]() -> awaitable<result<std::vector<shared_entry>>> {
            auto all = co_await log.read(0, log.last_seq(), 1u << 20);
            co_return all;
        };
        auto all = run(read());
        return all ? *all : std::vector<shared_entry>();
    }

    asio::thread_pool pool{1};
    test_support::temporary_directory directory;
    log_budget budget{1u << 30, 1u << 30};
    output_log log{io.get_executor(), pool, budget, {}, directory.path() + "/log"};
    kernels::kernel& kernel;
    std::unique_ptr<live_shell> shell;
};

TEST_F(the_shell, runs_a_command_and_tells_it_in_the_log) {
    make();
    const auto id = begin(bash("-x; echo hi"));
    EXPECT_THAT(program().request.argv, ElementsAre("bash", "-c", "--", "-x; echo hi"));
    EXPECT_EQ(shell->running(), 1U);
    print(1, "hi\n");
    print(2, "err\n");
    EXPECT_TRUE(until([&] { return shell->find(id)->out.head == "hi\n" && shell->find(id)->err.head == "err\n"; }));
    finish(program(), 3 << 8);
    auto done = ended(id);
    EXPECT_EQ(done->status, cell_status::error);
    EXPECT_EQ(done->exit_code, 3);
    EXPECT_EQ(done->signal, std::nullopt);
    EXPECT_EQ(shell->running(), 0U);
    EXPECT_EQ(done->seq_last, log.last_seq());
    EXPECT_THAT(events(), ElementsAre("command_started", "command_output", "command_output", "command_finished"));
    for (const auto& each : read_log()) EXPECT_EQ(each->cell_id, id);
}

TEST_F(the_shell, passes_exact_arguments_on) {
    make();
    command_options what;
    what.argv = {"printf", "%s", "$HOME *"};
    what.working_dir = "sub";
    what.env = {{"A", "1"}};
    begin(what);
    EXPECT_EQ(program().request.argv, what.argv);
    EXPECT_EQ(program().request.working_dir, "/home/user/sub");
    EXPECT_EQ(program().request.env.at("A"), "1");
}

TEST_F(the_shell, says_why_a_command_does_not_start_and_logs_nothing) {
    make();
    processes.refuse_programs = failure{errc::invalid_request, "no such program"};
    auto begun = run(shell->start(bash("true")));
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().message, "no such program");
    EXPECT_THAT(events(), ElementsAre());
    EXPECT_EQ(shell->running(), 0U);
}

TEST_F(the_shell, keeps_the_head_of_a_long_text_and_all_of_it_in_a_file) {
    make();
    const auto id = begin();
    print(1, "0123456789abc");
    finish(program(), 0);
    auto done = ended(id);
    EXPECT_THAT(done->out.head, testing::StartsWith("0123456789"));
    EXPECT_EQ(done->out.characters, 13U);
    EXPECT_EQ(done->out.file, "/mnt/files/.composio/output/" + id + ".stdout.txt");
}

TEST_F(the_shell, has_a_limit_that_it_names) {
    shell_limits limits;
    limits.running = 1;
    make(limits);
    const auto id = begin();
    auto refused = run(shell->start(bash("true")));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::limit_reached);
    EXPECT_THAT(refused.error().message, HasSubstr("sessions.max_commands"));
    finish(program(), 0);
    ended(id);
    begin();
}

TEST_F(the_shell, asks_a_command_to_end_at_its_deadline) {
    make();
    auto what = bash("sleep 1000");
    what.timeout = milliseconds(1);
    const auto id = begin(what);
    EXPECT_TRUE(until([&] { return !program().signals.empty(); }));
    EXPECT_THAT(program().signals, ElementsAre(std::pair(SIGTERM, true)));
    finish(program(), SIGTERM);
    auto done = ended(id);
    EXPECT_EQ(done->status, cell_status::timeout);
    EXPECT_EQ(done->reason, cell_reason::deadline);
    EXPECT_EQ(done->signal, SIGTERM);
}

TEST_F(the_shell, loses_what_runs_with_the_kernel) {
    make();
    const auto id = begin();
    auto which = std::move(processes.programs.back());
    shell->kernel_ended(cell_reason::restarted);
    auto done = ended(id);
    EXPECT_EQ(done->status, cell_status::lost);
    EXPECT_EQ(done->reason, cell_reason::restarted);
    which.on_end({SIGKILL, true});
    EXPECT_EQ(done->status, cell_status::lost);
    EXPECT_EQ(shell->signal(id, SIGTERM).error().code, errc::command_not_running);
}

TEST_F(the_shell, goes_on_with_what_an_ended_command_left) {
    shell_limits limits;
    limits.ends.drain = milliseconds(1);
    limits.running = 1;
    make(limits);
    const auto id = begin();
    program().on_end({0, false});
    auto done = ended(id);
    EXPECT_THAT(done->left_open, ElementsAre(command_stream::out, command_stream::err));
    print(1, "late");
    EXPECT_TRUE(until([&] { return done->out.head == "late"; }));
    // One more, and the older one's pipes are closed.
    auto& older = program();
    const auto next = begin();
    program().on_end({0, false});
    ended(next);
    settle();
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::write(older.files[1].get(), "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
}

TEST_F(the_shell, keeps_a_number_of_ended_commands) {
    shell_limits limits;
    limits.kept = 2;
    make(limits);
    std::vector<std::string> ids;
    for (int each = 0; each < 3; ++each) {
        ids.push_back(begin());
        finish(program(), 0);
        ended(ids.back());
    }
    settle();
    EXPECT_EQ(shell->find(ids[0]), nullptr);
    EXPECT_EQ(shell->list(0, 10).size(), 2U);
    EXPECT_EQ(shell->list(shell->find(ids[1])->seq_first, 10).front()->id, ids[2]);
    EXPECT_EQ(run(shell->wait_for(ids[0])).error().code, errc::command_not_found);
}

TEST_F(the_shell, gives_stdin_that_ends_unless_it_stays_open) {
    make();
    auto what = bash("cat");
    what.input = "all";
    const auto closed = begin(what);
    char buffer[8] = {};
    EXPECT_EQ(::read(program().files[0].get(), buffer, sizeof buffer), 3);
    EXPECT_EQ(::read(program().files[0].get(), buffer, sizeof buffer), 0);
    EXPECT_EQ(shell->write(closed, "x", false).error().code, errc::conflict);
    what.stdin_stays_open = true;
    const auto open = begin(what);
    ASSERT_TRUE(shell->write(open, "more", true));
    EXPECT_EQ(::read(program().files[0].get(), buffer, sizeof buffer), 7);
    EXPECT_EQ(shell->write("cmd_none", "x", false).error().code, errc::command_not_found);
}

TEST_F(the_shell, takes_the_end_of_what_ends_before_it_is_known) {
    make();
    auto start_it = shell->start(bash("true"));
    auto outcome = std::make_shared<std::optional<result<submitted>>>();
    asio::co_spawn(io, std::move(start_it),
                   [outcome](std::exception_ptr, result<submitted> value) { outcome->emplace(value); });
    while (processes.programs.empty()) {
        io.restart();
        io.poll_one();
    }
    finish(program(), 0);
    EXPECT_TRUE(until([&] { return outcome->has_value(); }));
    EXPECT_EQ(ended((**outcome)->cell_id)->status, cell_status::ok);
}

}  // namespace
}  // namespace gateway::sessions
