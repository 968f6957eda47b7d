// A program that the gateway talks to over its standard streams, in a process group of its own. Passive: its owner
// reads, writes, waits and kills. Owned by a stdio transport; io thread.
#pragma once

#include <sys/types.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"

namespace gateway::tools {

class child_process {
  public:
    // `env` is the whole environment; its PATH is where a command without "/" is looked for. The program gets no other
    // descriptors, default signal dispositions, and the gateway's working directory.
    // io_error with what could not be done.
    static result<std::unique_ptr<child_process>> start(executor ex, std::vector<std::string> command,
                                                        std::map<std::string, std::string> env);
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process();  // kills the group and reaps

    // A socket rather than a pipe: writing to a program that is gone gives an error, not SIGPIPE.
    asio::local::stream_protocol::socket& input() { return input_; }
    asio::posix::stream_descriptor& output() { return output_; }
    asio::posix::stream_descriptor& errors() { return errors_; }

    // Waits for its end, at most `limit`; true when it has ended.
    awaitable<bool> wait(milliseconds limit);
    // To the whole group, also what the program started and left behind.
    void signal_group(int number);
    // "exit status 3", "signal 9"; empty while it runs.
    const std::string& ending() const { return ending_; }

  private:
    child_process(executor ex, pid_t pid, int pidfd, int input, int output, int errors);
    bool look();

    pid_t pid_;
    asio::posix::stream_descriptor pidfd_;
    asio::local::stream_protocol::socket input_;
    asio::posix::stream_descriptor output_;
    asio::posix::stream_descriptor errors_;
    // It is reaped only by the destructor: until then nobody else can get its number, and signals reach the right
    // group.
    bool ended_ = false;
    std::string ending_;
};

}  // namespace gateway::tools
