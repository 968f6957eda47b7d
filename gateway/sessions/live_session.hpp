// The session behind session.hpp: one kernel, its cells, its clients, its log. io thread.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/sessions/cell_book.hpp"
#include "gateway/sessions/client_table.hpp"
#include "gateway/sessions/execution_fsm.hpp"
#include "gateway/sessions/live_shell.hpp"
#include "gateway/sessions/network_rules.hpp"
#include "gateway/sessions/requests.hpp"
#include "gateway/sessions/session.hpp"
#include "gateway/sessions/session_keeper.hpp"

namespace gateway::sessions {

// Entries addressed to this name are for agents alone.
inline constexpr const char* agents_only = "agents";

// Seqs are given out in blocks, each written down before it is begun, so that no seq is given out twice.
inline constexpr std::uint64_t seq_block = 1u << 20;

// What a session is built from. The references outlive it.
struct session_parts {
    executor ex;
    asio::thread_pool& pool;
    kernels::kernel_environment& kernels;
    log_budget& budget;
    session_limits limits;
    std::string id;
    session_options options;
    kernels::kernel_options kernel;
    std::string files_directory;
    std::shared_ptr<mounts::file_store> files;
    std::string packages_directory;
    std::string log_directory;
    std::unique_ptr<kernels::kernel> ready_kernel = nullptr;  // from the warm pool; null: one is started
    std::string directory = {};                               // of its files, by name
    network_rules network = {};
    session_keeper* keeper = nullptr;                      // null: it does not outlive the gateway
    std::optional<loaded_session> earlier = std::nullopt;  // what an earlier gateway left of it
};

class live_session final : public session,
                           public kernels::kernel_listener,
                           public client_host,
                           public std::enable_shared_from_this<live_session> {
  public:
    explicit live_session(session_parts parts);
    ~live_session() override;
    // Starts the kernel in the background. Once, after the constructor.
    void start();
    // In place of start(), for one that an earlier gateway left: the kernel starts when it is first used.
    void revive();
    // What outlives the gateway, as it is now.
    kept_session kept() const;
    // Puts it to the keeper when it is not as it was put last.
    void keep_when_changed();
    const std::string& directory() const { return parts_.directory; }
    // Other settings; then, what they make of the kernel.
    void set_options(session_options options);
    awaitable<void> adapt();

    const std::string& id() const override { return parts_.id; }
    const session_options& options() const override { return parts_.options; }
    const std::string& name() const override { return parts_.options.name; }
    session_state state() const override;
    cell_reason reason() const override { return reason_; }
    const std::string& failure_text() const override { return failure_text_; }
    const std::string& kernel_id() const override { return kernel_->id(); }
    const kernels::kernelspec& spec() const override { return kernel_->spec(); }
    const std::string& connection_file() const override { return kernel_->connection_file(); }
    int restarts() const override { return earlier_restarts_ + kernel_->restarts(); }
    const task_step& step() const override { return step_; }
    void note_step(task_step what) override { step_ = std::move(what); }
    wall_clock::time_point created_at() const override { return created_at_; }
    wall_clock::time_point last_activity() const override { return last_activity_; }
    milliseconds cell_timeout() const override;
    const sandbox_size& size() const override;
    const egress::proxy* network() const override { return network_.get(); }
    bool has_sandbox() const override { return sandbox_.enable; }
    cell_settings settings_for(origin who) const override;
    const std::string& helper_key() const override { return parts_.kernel.helper_key; }
    const tools::shared_meters& meters() const override { return meters_; }
    const std::string& files_directory() const override { return parts_.files_directory; }
    const std::shared_ptr<mounts::file_store>& files() const override { return parts_.files; }
    const std::string& packages_directory() const override { return parts_.packages_directory; }
    output_log& log() override { return log_; }

    awaitable<result<void>> ready() override;
    result<submitted> execute(execute_options what) override;
    awaitable<result<std::shared_ptr<const cell>>> wait_for(std::string cell_id) override;
    std::shared_ptr<const cell> find_cell(const std::string& cell_id) const override;
    std::vector<std::shared_ptr<const cell>> cells(std::uint64_t after, std::size_t limit) const override;
    awaitable<result<void>> cancel(std::string cell_id) override;
    result<void> correct(const std::string& request, correction what) override;
    result<void> answer_input(const std::string& cell_id, const std::string& value) override;
    void record_installed(const std::string& request, std::vector<installed_package> what) override;
    std::optional<input_prompt> pending_input() const override { return pending_input_; }
    shell& commands() override { return *shell_; }
    awaitable<result<std::string>> complete(std::string code, int cursor_pos) override;
    awaitable<result<std::string>> inspect(std::string code, int cursor_pos, int detail_level) override;
    awaitable<result<void>> interrupt() override;
    awaitable<result<void>> restart() override;
    awaitable<void> end(kernels::end_reason why) override;
    std::shared_ptr<jupyter_client> connect(const std::string& session_id, const std::string& via) override;
    std::size_t connections() const override { return clients_.connections(); }
    std::size_t connections_via(const std::string& kernel_id) const override {
        return clients_.connections_via(kernel_id);
    }
    void disconnect_via(const std::string& kernel_id);  // an alias that went
    std::shared_ptr<void> count_agent_socket() override;
    std::size_t agent_sockets() const override { return static_cast<std::size_t>(agent_socket_.use_count()) - 1; }
    bool has_work() const override {
        return busy_since_ || !held_.empty() || executions_.has_outstanding() || executions_.queued() > 0 ||
               shell_->running() > 0;
    }
    std::optional<std::chrono::steady_clock::time_point> busy_since() const override { return busy_since_; }

  private:
    // kernels::kernel_listener
    void on_message(messaging::shared_message what) override;
    void on_state(kernels::kernel_state state, kernels::end_reason reason) override;
    // client_host
    result<void> forward(const std::string& client, messaging::message what) override;
    bool has_requests(const std::string& client) const override { return requests_.any_of(client); }
    messaging::shared_message status_message() const override;
    std::optional<open_question> pending_question() const override;
    messaging::shared_message note(const std::string& text, const std::string& parent_header) const override;

    struct reading {  // a kernel message with what was read of it
        messaging::shared_message what;
        messaging::header_fields header;
        messaging::header_fields parent;
        std::shared_ptr<cell> owner;
    };
    void on_iopub(reading& from);
    void on_status(const reading& from);
    void on_execute_input(reading& from);
    void on_reply(const reading& from);
    void on_stdin(const reading& from);
    void on_debug_event(const reading& from);
    std::uint64_t log_message(const reading& from, const std::string& client);
    void log_own(messaging::message what, const std::string& client);
    void log_event(const char* type, const std::string& cell_id, std::string body);
    void touch(const reading& from);

    shell_host make_shell_host();
    void wake();
    std::uint64_t append(entry what);
    void keep_now();
    void keep_cell(const cell& which, std::string summary, const std::string& result);
    void end_cut_off(const kept_cell& which);
    std::vector<cell_book::earlier_cell> earlier_cells() const;
    awaitable<void> retire_kernel();
    void make_kernel();
    void take_limits();
    egress::policy network_policy() const;
    void lead_out();
    std::shared_ptr<egress::proxy> make_network();
    std::string out_of_memory() const;
    awaitable<void> configure_when_free();
    awaitable<void> release_when_kept(std::string msg_id);
    awaitable<void> boot();
    bool is_as_asked() const;          // a kernel from the pool
    awaitable<void> configure_warm();  // one that is not
    void became_ready();
    void kernel_gone(kernels::end_reason why, bool restarts);
    void end_cells(bool restarts);
    void answer_requests(const std::string& ename, const std::string& evalue);
    void transmit(const std::string& client, messaging::message what, const messaging::header_fields& header);
    void forward_execute(const messaging::message& what, const messaging::header_fields& header);

    void apply(const execution_actions& actions);
    void perform(const action::send& what);
    void perform(const action::began& what);
    void perform(const action::ended& what);
    void perform(const action::interrupt& what);
    void perform(const action::kill& what);
    void arm_timer();
    void finish_foreign(const std::shared_ptr<cell>& which);
    void end_cell(cell& which, cell_status status, cell_reason reason, bool kernel_restarted);
    void log_queued(cell& which);
    void log_started(cell& which);

    result<submitted> join_earlier(const execute_options& what, bool& found) const;
    awaitable<result<std::string>> ask(std::string msg_type, std::string content);

    session_parts parts_;
    output_log log_;
    mutable cell_book cells_;  // fetches what an earlier gateway left when somebody asks for it
    client_table clients_;
    execution_fsm executions_;
    request_table requests_;
    std::shared_ptr<kernels::kernel> kernel_;  // shared with commands that it runs
    std::unique_ptr<live_shell> shell_;
    std::shared_ptr<egress::proxy> network_;  // null: the machine's
    std::string agent_session_;               // header.session of the requests made for agents
    task_group tasks_;
    event changed_;  // a cell ended, an answer came, the kernel's state moved
    asio::steady_timer timer_;

    kernels::kernel_state kernel_state_ = kernels::kernel_state::starting;
    cell_reason reason_ = cell_reason::none;
    sandbox_settings sandbox_;
    bool ended_ = false;
    bool dormant_ = false;          // its kernel ended with an earlier gateway, and nothing needed another yet
    bool variables_gone_ = false;   // the next cell of an agent tells that its kernel is another one
    bool replaces_kernel_ = false;  // the next kernel that starts is a restart
    int earlier_restarts_ = 0;
    task_step step_;
    std::uint64_t seq_limit_ = 0;  // what the store has: no seq above it is given out
    struct activity {
        wall_clock::time_point last;
        int restarts = 0;
        kept_usage model, searches;
        bool operator==(const activity&) const = default;
    };
    activity kept_activity_;
    std::string failure_text_;
    wall_clock::time_point created_at_;
    wall_clock::time_point last_activity_;
    std::set<std::string> busy_parents_;
    std::optional<std::chrono::steady_clock::time_point> busy_since_;
    std::optional<input_prompt> pending_input_;
    std::string pending_input_parent_;
    std::string pending_input_client_;
    std::uint64_t pending_input_seq_ = 0;
    std::unordered_map<std::string, std::shared_ptr<cell>> foreign_;       // seen only by their execute_input
    std::unordered_map<std::string, std::optional<std::string>> answers_;  // complete and inspect, by msg_id
    std::unordered_map<std::string, execute_options> agent_requests_;      // by msg_id, until they ended
    struct held {
        std::string client;
        messaging::message what;
    };
    std::deque<held> held_;  // what Jupyter clients sent while the kernel started
    std::size_t held_bytes_ = 0;
    tools::shared_meters meters_;
    std::shared_ptr<void> agent_socket_ = std::make_shared<int>(0);
};

}  // namespace gateway::sessions
