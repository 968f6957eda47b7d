// A session: one user's kernel, its files, its cells and their deadlines, and the output log that all clients read.
// Owned by the registry (shared with requests that are being served); io thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/egress/policy.hpp"
#include "gateway/egress/proxy.hpp"
#include "gateway/kernels/kernel.hpp"
#include "gateway/sessions/cell.hpp"
#include "gateway/sessions/cell_settings.hpp"
#include "gateway/sessions/jupyter_client.hpp"
#include "gateway/sessions/output_log.hpp"
#include "gateway/sessions/sandbox.hpp"
#include "gateway/sessions/shell.hpp"
#include "gateway/sessions/submitted.hpp"
#include "gateway/tools/meter.hpp"
#include "mounts/file_store.hpp"

namespace gateway::sessions {

enum class session_state : std::uint8_t { starting, idle, busy, restarting, dead };
const char* to_string(session_state state);

// What a session is made with; kept and told as it came.
struct session_options {
    std::string user_id = "default";
    std::string name;         // empty: its id
    std::string kernel_name;  // empty: the configured default
    std::string kernel_id;    // chosen by a client; empty: a fresh UUID
    origin made_by = origin::agent;
    std::string sandbox = "{}";  // JSON object: what read_sandbox() reads, and what clients keep there
    asked_settings settings;     // none: configured
    std::map<std::string, std::string> env;
    std::string working_dir;                   // as asked: KERNEL_WORKING_DIR or a Jupyter path; empty: none
    std::optional<milliseconds> cell_timeout;  // none: configured
    std::optional<milliseconds> idle_timeout;
    std::optional<milliseconds> lifetime;
    std::optional<egress::policy> network;  // none: configured
};

struct session_limits {
    milliseconds cell_timeout{180'000};
    milliseconds cell_grace{2'000};
    std::size_t text_limit_chars = 40'000;
    std::uint64_t text_file_max_bytes = 1ull << 30;
    milliseconds idempotency{300'000};
    cell_rules cells;
    shell_limits shell;
    log_limits log;
    sandbox_sizes sizes = usual_sandbox_sizes();
};

struct input_prompt {
    std::string cell_id;
    std::string prompt;
    bool password = false;
    messaging::shared_message message;
};

class session {
  public:
    virtual ~session() = default;

    virtual const std::string& id() const = 0;  // "ses_…"
    virtual const session_options& options() const = 0;
    virtual const std::string& name() const = 0;
    virtual session_state state() const = 0;
    virtual cell_reason reason() const = 0;
    virtual const std::string& failure_text() const = 0;  // why it did not start, for people
    virtual const std::string& kernel_id() const = 0;
    virtual const kernels::kernelspec& spec() const = 0;
    virtual const std::string& connection_file() const = 0;
    virtual int restarts() const = 0;
    virtual const task_step& step() const = 0;  // the last one that was noted, or came with a cell
    virtual void note_step(task_step what) = 0;
    virtual wall_clock::time_point created_at() const = 0;
    virtual wall_clock::time_point last_activity() const = 0;
    virtual milliseconds cell_timeout() const = 0;
    virtual const sandbox_size& size() const = 0;
    virtual const egress::proxy* network() const = 0;          // null: it is in the machine's network
    virtual bool has_sandbox() const = 0;                      // without one it runs nothing: conflict
    virtual cell_settings settings_for(origin who) const = 0;  // of cells that say nothing themselves
    virtual const std::string& helper_key() const = 0;
    virtual const tools::shared_meters& meters() const = 0;  // what its cells used of the model and of search
    virtual const std::string& files_directory() const = 0;  // the host's path of /mnt/files
    virtual const std::shared_ptr<mounts::file_store>& files() const = 0;
    virtual const std::string& packages_directory() const = 0;  // the host's path of /opt/cellgate/packages
    virtual output_log& log() = 0;

    // Waits until the kernel is ready or dead.
    virtual awaitable<result<void>> ready() = 0;

    // --- cells of agents ---
    // Queues a cell. An equal idempotency key answers the earlier cell; with other code idempotency_mismatch.
    virtual result<submitted> execute(execute_options what) = 0;
    // The cell once it has ended; cell_not_found.
    virtual awaitable<result<std::shared_ptr<const cell>>> wait_for(std::string cell_id) = 0;
    virtual std::shared_ptr<const cell> find_cell(const std::string& cell_id) const = 0;  // null when unknown
    // Cells with seq_first > after, in order.
    virtual std::vector<std::shared_ptr<const cell>> cells(std::uint64_t after, std::size_t limit) const = 0;
    // A queued cell never starts; a running one is interrupted. cell_not_found, cell_not_running.
    virtual awaitable<result<void>> cancel(std::string cell_id) = 0;
    // A helper in the kernel says what was corrected in the cell whose execute_request has this msg_id: told to agents
    // and kept with the cell. cell_not_found; limit_reached after most_corrections.
    virtual result<void> correct(const std::string& request, correction what) = 0;
    // Answers the pending input() of that cell; the first answer wins. no_input_requested.
    virtual result<void> answer_input(const std::string& cell_id, const std::string& value) = 0;
    virtual std::optional<input_prompt> pending_input() const = 0;
    // What was installed for the cell of this execute_request; of a request that is no cell (a silent one), nothing.
    virtual void record_installed(const std::string& request, std::vector<installed_package> what) = 0;
    // Content of the complete_reply or inspect_reply, JSON.
    virtual awaitable<result<std::string>> complete(std::string code, int cursor_pos) = 0;
    virtual awaitable<result<std::string>> inspect(std::string code, int cursor_pos, int detail_level) = 0;

    // --- commands, beside the cells ---
    virtual shell& commands() = 0;

    // --- the kernel ---
    virtual awaitable<result<void>> interrupt() = 0;
    // In-flight requests are answered and queued cells cancelled first; concurrent calls join one restart.
    virtual awaitable<result<void>> restart() = 0;
    // Ends the cells, the kernel and the log, in which the reason is `why` from then on. At the gateway's end the log
    // can still be read while the session is kept. The registry forgets the session afterwards.
    virtual awaitable<void> end(kernels::end_reason why) = 0;

    // --- Jupyter clients ---
    // A connection of the client `session_id` (may be empty) through the kernel id `via`, which goes on where that
    // client's last one stopped. Never null.
    virtual std::shared_ptr<jupyter_client> connect(const std::string& session_id, const std::string& via) = 0;
    virtual std::size_t connections() const = 0;  // Jupyter connections now
    virtual std::size_t connections_via(const std::string& kernel_id) const = 0;
    // An agent's socket counts as a connection for culling while the returned token lives.
    virtual std::shared_ptr<void> count_agent_socket() = 0;
    virtual std::size_t agent_sockets() const = 0;
    // A cell runs or waits, here or in the kernel.
    virtual bool has_work() const = 0;
    // Since when the kernel has been busy without a pause.
    virtual std::optional<std::chrono::steady_clock::time_point> busy_since() const = 0;
};

}  // namespace gateway::sessions
