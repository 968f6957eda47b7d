// The shell behind shell.hpp. Owned by one live_session; io thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "gateway/kernels/kernel.hpp"
#include "gateway/sessions/output_log.hpp"
#include "gateway/sessions/running_command.hpp"
#include "gateway/sessions/shell.hpp"
#include "gateway/sessions/text_keeper.hpp"

namespace gateway::sessions {

// What the session lends; outlives the shell.
struct shell_host {
    std::function<std::shared_ptr<kernels::kernel>()> kernel;  // of now: a session may get another
    output_log& log;
    std::function<std::uint64_t(entry)> append;  // to the log, giving its seq
    std::string files_directory;
    text_limits texts;
    std::function<awaitable<result<void>>()> ready;  // as session::ready()
    std::function<void()> active;                    // something was done
};

class live_shell final : public shell {
  public:
    live_shell(executor ex, shell_host host, shell_limits limits);
    ~live_shell() override;

    awaitable<result<submitted>> start(command_options what) override;
    awaitable<result<shared_command>> wait_for(std::string command_id) override;
    shared_command find(const std::string& command_id) const override;
    std::vector<shared_command> list(std::uint64_t after, std::size_t limit) const override;
    result<void> signal(const std::string& command_id, int number) override;
    result<void> write(const std::string& command_id, std::string data, bool eof) override;
    std::size_t running() const override { return running_; }

    // The kernel's process, or the session, has ended: what runs is lost.
    void kernel_ended(cell_reason why);
    // Nothing is told or started any more.
    void close();

  private:
    struct page {
        std::shared_ptr<command> what;
        std::string program;                       // its id with the kernel
        std::shared_ptr<running_command> process;  // as long as something of it may still write
        std::unique_ptr<text_keeper> out;
        std::unique_ptr<text_keeper> err;
    };

    result<void> check_room() const;
    awaitable<result<submitted>> launch(command_options what);
    struct started_program {
        std::shared_ptr<kernels::kernel> kernel;
        std::string id;  // with that kernel
    };
    submitted begin(const std::string& id, command_options what, started_program program, command_pipes ours);
    void lose(const std::string& command_id, cell_reason why);
    void program_ended(const std::string& command_id, kernels::program_end how);
    void take_output(const std::string& command_id, command_stream which, std::string text);
    void end_command(const std::string& command_id, const command_outcome& how);
    void forget_process(const std::string& command_id);
    void drop_oldest();
    std::uint64_t log_event(const char* type, const command& of, std::string body);
    page* find_page(const std::string& command_id);
    result<page*> find_running(const std::string& command_id);

    executor ex_;
    shell_host host_;
    shell_limits limits_;
    std::unordered_map<std::string, page> pages_;
    std::deque<std::string> order_;
    std::deque<std::string> left_;  // have ended, but their output is held open; the oldest first
    std::size_t running_ = 0;
    std::size_t starting_ = 0;
    std::size_t ended_ = 0;
    std::size_t kernel_ends_ = 0;  // how many kernel_ended() there were, and of the last
    cell_reason kernel_end_ = cell_reason::none;
    event changed_;
    bool closed_ = false;
    std::shared_ptr<live_shell*> self_;  // null behind it once this has gone, for what comes late
};

}  // namespace gateway::sessions
