// A command with its pipes, from its start to its end and as long as what it left writes. Its owner keeps it as long,
// and calls close() before it goes; io thread. Nothing is kept back: what is read is told at once.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "gateway/base/async.hpp"
#include "gateway/kernels/launcher.hpp"
#include "gateway/sessions/command_fsm.hpp"
#include "gateway/sessions/text_decoder.hpp"

namespace gateway::sessions {

// What is told of a command, never from inside a call but signal's. `ended` comes once; `output` also after it, until
// `silent`: both pipes are at their end.
struct command_listener {
    std::function<void(int number, bool sweep)> signal;
    std::function<void(command_stream, std::string text)> output;
    std::function<void(const command_outcome&)> ended;
    std::function<void()> silent;
};

// The gateway's ends of a command's pipes.
struct command_pipes {
    ::kernel::file_descriptor in;
    ::kernel::file_descriptor out;
    ::kernel::file_descriptor err;
};

// Both ends of three fresh pipes; without `with_stdin` that is /dev/null. io_error.
struct fresh_pipes {
    command_pipes ours;
    kernels::program_files theirs;
};
result<fresh_pipes> make_pipes(bool with_stdin);

class running_command : public std::enable_shared_from_this<running_command> {
  public:
    // Of a stdin that nobody reads.
    static constexpr std::size_t most_waiting_input = 1u << 20;

    running_command(executor ex, command_pipes pipes, command_fsm machine, command_listener listener);
    void start();

    void exited(kernels::program_end how);
    void kernel_ended(cell_reason why);
    // False when the process has ended.
    bool signal(int number);
    // Goes to its stdin, which `eof` closes. conflict when stdin is closed, limit_reached when too much waits.
    result<void> write(std::string data, bool eof);
    // Nothing is told any more.
    void close();

  private:
    struct pipe {
        pipe(executor ex, command_stream which) : which(which), end(std::move(ex)) {}
        command_stream which;
        asio::posix::stream_descriptor end;
        text_decoder decoder;
    };

    void wait_to_read(pipe& from);
    void read(pipe& from);
    void finish(pipe& from);
    void wait_to_write();
    void flush_input();
    void apply(const command_fsm::actions& actions);
    void arm_timer();

    command_fsm machine_;
    command_listener listener_;
    pipe out_;
    pipe err_;
    asio::posix::stream_descriptor in_;
    std::string input_;
    std::size_t input_at_ = 0;
    bool input_ends_ = false;
    bool writing_ = false;
    bool closed_ = false;
    asio::steady_timer timer_;
};

}  // namespace gateway::sessions
