// A command's pipes: what comes through, and what does not stop the gateway.
#include "gateway/sessions/running_command.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>

#include "tests/support/run_until.hpp"

namespace gateway::sessions {
namespace {

using testing::HasSubstr;

class the_pipes : public testing::Test {
  protected:
    explicit the_pipes(bool with_stdin = true) {
        std::signal(SIGPIPE, SIG_IGN);  // as the gateway has it
        auto pipes = make_pipes(with_stdin).value();
        theirs = std::move(pipes.theirs);
        fcntl(theirs[0].get(), F_SETFL, O_NONBLOCK);
        command_listener listener;
        listener.signal = [this](int number, bool) { signals.push_back(number); };
        listener.output = [this](command_stream which, const std::string& text) {
            (which == command_stream::out ? out : err) += text;
        };
        listener.ended = [this](const command_outcome& how) { ended = how; };
        listener.silent = [this] { silent = true; };
        command_fsm machine(command_limits{}, milliseconds(0), std::chrono::steady_clock::now());
        command = std::make_shared<running_command>(io.get_executor(), std::move(pipes.ours), std::move(machine),
                                                    std::move(listener));
        command->start();
    }
    ~the_pipes() override { command->close(); }

    void print(int where, const std::string& text) const {
        ASSERT_EQ(::write(theirs[where].get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    std::string read_stdin(std::size_t most) const {
        std::string text(most, '\0');
        text.resize(std::max<ssize_t>(0, ::read(theirs[0].get(), text.data(), most)));
        return text;
    }
    template <class Condition>
    bool until(Condition condition) {
        return test_support::run_until(io, condition);
    }

    asio::io_context io;
    kernels::program_files theirs;
    std::shared_ptr<running_command> command;
    std::string out;
    std::string err;
    std::vector<int> signals;
    std::optional<command_outcome> ended;
    bool silent = false;
};

TEST_F(the_pipes, are_told_apart_and_as_text) {
    print(1, "o\xe2");
    print(2, "e\xff");
    EXPECT_TRUE(until([&] { return err == "e\xef\xbf\xbd" && out == "o"; }));
    print(1, "\x82\xac");
    EXPECT_TRUE(until([&] { return out == "o€"; }));
}

TEST_F(the_pipes, end_the_command_with_its_process) {
    print(1, "last \xe2");
    theirs = {};
    EXPECT_TRUE(until([&] { return silent; }));
    EXPECT_EQ(out, "last \xef\xbf\xbd");
    EXPECT_FALSE(ended);
    command->exited({0, false});
    EXPECT_TRUE(ended);
}

TEST_F(the_pipes, go_on_being_read_when_the_command_has_ended) {
    command->exited({0, false});
    EXPECT_TRUE(until([&] { return ended.has_value(); }));
    EXPECT_EQ(ended->left_open.size(), 2U);
    print(1, "late");
    EXPECT_TRUE(until([&] { return out == "late"; }));
    theirs = {};
    EXPECT_TRUE(until([&] { return silent; }));
}

TEST_F(the_pipes, give_a_command_its_stdin) {
    ASSERT_TRUE(command->write("one ", false));
    ASSERT_TRUE(command->write("two", true));
    EXPECT_EQ(read_stdin(100), "one two");
    EXPECT_EQ(read_stdin(100), "");
    auto refused = command->write("more", false);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::conflict);
}

TEST_F(the_pipes, keep_at_most_a_mebibyte_for_who_does_not_read) {
    const std::string large(running_command::most_waiting_input, 'x');
    ASSERT_TRUE(command->write(large, false));
    auto refused = command->write(large, false);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::limit_reached);
    std::size_t seen = 0;
    while (seen < large.size()) {
        io.restart();
        io.poll();
        seen += read_stdin(1 << 20).size();
    }
    EXPECT_TRUE(command->write("more", true));
    io.restart();
    io.poll();
    EXPECT_EQ(read_stdin(100), "more");
}

TEST_F(the_pipes, close_a_stdin_that_nobody_reads) {
    theirs[0].reset();
    ASSERT_TRUE(command->write("x", false));
    EXPECT_EQ(command->write("y", false).error().code, errc::conflict);
}

TEST_F(the_pipes, are_not_heard_of_after_close) {
    print(1, "x");
    command->close();
    command->exited({0, false});
    io.run();
    EXPECT_EQ(out, "");
    EXPECT_FALSE(ended);
    EXPECT_FALSE(command->signal(SIGTERM));
}

TEST_F(the_pipes, let_a_signal_through_while_there_is_a_process) {
    EXPECT_TRUE(command->signal(SIGUSR1));
    EXPECT_THAT(signals, testing::ElementsAre(SIGUSR1));
    command->exited({0, false});
    EXPECT_FALSE(command->signal(SIGUSR1));
}

class the_pipes_without_stdin : public the_pipes {
  protected:
    the_pipes_without_stdin() : the_pipes(false) {}
};

TEST_F(the_pipes_without_stdin, read_nothing) {
    EXPECT_EQ(read_stdin(1), "");
    auto refused = command->write("x", false);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("\"stdin\": true"));
}

}  // namespace
}  // namespace gateway::sessions
