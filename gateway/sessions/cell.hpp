// A cell: one execute_request that is not silent, whoever sent it. A value, kept by its session; io thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/ids.hpp"
#include "gateway/kernels/kernel.hpp"
#include "gateway/sessions/cell_settings.hpp"
#include "gateway/sessions/correction.hpp"

namespace gateway::sessions {

enum class origin : std::uint8_t { agent, jupyter };
const char* to_string(origin who);

enum class cell_status : std::uint8_t { queued, running, ok, error, timeout, interrupted, cancelled, lost };
const char* to_string(cell_status status);
inline bool is_final(cell_status status) { return status > cell_status::running; }

// Why a cell ended as it did; the kernel's reasons and one of its own. docs/api.md, "The one vocabulary".
enum class cell_reason : std::uint8_t {
    none,
    deadline,
    oom,
    killed,
    crashed,
    restarted,
    start_failed,
    culled,
    session_ended,
    gateway_ended,
    aborted
};
const char* to_string(cell_reason reason);  // "" for none
cell_reason to_cell_reason(kernels::end_reason reason);

// What an agent asks for.
struct execute_options {
    std::string code;
    std::optional<milliseconds> timeout;  // none: the session's
    bool store_history = true;
    bool silent = false;
    bool allow_stdin = true;
    asked_settings settings;  // none: the session's
    std::string idempotency_key;
    std::string current_step;
    std::string current_step_metric;  // JSON as sent
};

// A text field that keeps its first `limit` characters (code points); the whole is in a file of the session's mount.
// What a session's client says that it is at.
struct task_step {
    std::string name;    // empty: none was said yet
    std::string metric;  // JSON as sent; empty: none
};

struct kept_text {
    std::string head;            // UTF-8; its last line says what is missing when the file has not all
    std::size_t characters = 0;  // of all the text
    std::size_t lines = 0;       // that began in it
    std::string file;  // "/mnt/files/.composio/output/…" once it is longer than the limit, if it could be made
};

struct cell_error {
    std::string ename;
    std::string evalue;
    std::vector<std::string> traceback;
};

// An output by reference: its seq in the session's log, where the whole message is.
struct cell_output {
    std::uint64_t seq = 0;
    std::string type;        // display_data, execute_result, …
    std::string display_id;  // of transient, to be replaced by update_display_data
};

// A distribution that was installed for a cell.
struct installed_package {
    std::string name;
    std::string version;
    std::string module;  // that the cell imports; empty: asked for by name, or what another needs

    bool operator==(const installed_package&) const = default;
};

struct cell {
    std::string id;  // "cell_…"
    origin sent_by = origin::agent;
    std::string msg_id;  // of its execute_request, and so the parent of its output
    std::uint64_t seq_first = 0;
    std::uint64_t seq_last = 0;
    cell_status status = cell_status::queued;
    cell_reason reason = cell_reason::none;
    std::optional<int> execution_count;
    std::string code;
    bool store_history = true;
    std::string metadata = "{}";  // of the request as sent (Lab's cellId)
    kept_text out;
    kept_text err;
    std::optional<cell_output> result;
    std::vector<cell_output> displays;
    std::optional<cell_error> error;
    std::vector<correction> corrections;
    std::vector<installed_package> installed;
    wall_clock::time_point queued_at;
    std::optional<wall_clock::time_point> started_at;
    std::optional<wall_clock::time_point> ended_at;
    milliseconds duration{0};
    bool kernel_restarted = false;
    std::string current_step;
    std::string current_step_metric;
    std::string idempotency_key;
    std::optional<milliseconds> timeout;
    bool restored = false;    // of an earlier gateway: its output is no longer in the log
    std::string kept_result;  // of a restored one: the content of its execute_result, JSON
};

}  // namespace gateway::sessions
