// A session with a real output log and cells that the test runs by hand, and a registry of such sessions. For tests of
// the agent API; fake_jupyter_session.hpp has the like for Jupyter's routes.
#pragma once

#include <fmt/format.h>

#include <boost/asio/thread_pool.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/sessions/cell_events.hpp"
#include "gateway/sessions/registry.hpp"
#include "mounts/local_files.hpp"
#include "tests/support/fake_shell.hpp"
#include "tests/support/temporary_directory.hpp"

namespace test_support {

class fake_agent_session final : public gateway::sessions::session {
  public:
    fake_agent_session(gateway::executor ex, boost::asio::thread_pool& pool, std::string id,
                       gateway::sessions::session_options options, gateway::sessions::log_limits limits = {})
        : shell(ex, log_),
          id_(std::move(id)),
          options_(std::move(options)),
          log_(ex, pool, budget_, limits, log_directory_.path()),
          changed_(ex),
          meters_(std::make_shared<gateway::tools::meters>(ex)) {
        if (options_.name.empty()) options_.name = id_;
        running.name = "python3";
        running.display_name = "Python 3";
        running.language = "python";
    }

    // What it says of itself, and what it was asked.
    gateway::sessions::session_state now = gateway::sessions::session_state::idle;
    gateway::sessions::cell_reason why = gateway::sessions::cell_reason::none;
    std::string failed_with;
    gateway::kernels::kernelspec running;
    gateway::wall_clock::time_point made_at{};
    std::optional<gateway::sessions::input_prompt> prompt;
    std::optional<gateway::failure> refuses;  // what every action answers
    std::vector<gateway::sessions::execute_options> executed;
    std::vector<std::pair<std::string, std::string>> inputs;
    std::vector<std::string> cancelled;
    std::vector<std::pair<std::string, gateway::sessions::correction>> corrected;
    fake_shell shell;
    int interrupts = 0;
    int restarted = 0;
    gateway::sessions::task_step at_step;
    std::string kernel_answer = R"({"status":"ok","matches":["abs"]})";
    std::pair<std::string, int> asked;  // code and cursor_pos of the last complete or inspect

    // --- running cells by hand ---
    std::shared_ptr<gateway::sessions::cell> add_cell(std::string code, gateway::sessions::origin by) {
        auto made = std::make_shared<gateway::sessions::cell>();
        made->id = fmt::format("cell_{}", all_.size() + 1);
        made->msg_id = "request of " + made->id;
        made->sent_by = by;
        made->code = std::move(code);
        gateway::sessions::entry queued = event("cell_queued", made->id);
        queued.body = gateway::sessions::cell_queued_body(*made);
        made->seq_first = made->seq_last = log_.append(std::move(queued));
        all_.push_back(made);
        return made;
    }
    void start(gateway::sessions::cell& which) {
        which.status = gateway::sessions::cell_status::running;
        which.started_at = gateway::wall_clock::time_point(std::chrono::seconds(1));
        auto started = event("cell_started", which.id);
        started.body = gateway::sessions::cell_started_body(which);
        which.seq_last = log_.append(std::move(started));
    }
    std::uint64_t output(gateway::sessions::cell& which, const std::string& type, std::string content,
                         std::vector<std::string> buffers = {}) {
        gateway::sessions::entry made;
        made.type = type;
        made.cell_id = which.id;
        made.parent = which.msg_id;
        auto message = messaging::make_message(messaging::channel::iopub, type, "kernel", std::move(content));
        message.buffers = std::move(buffers);
        made.message = std::make_shared<const messaging::message>(std::move(message));
        return which.seq_last = log_.append(std::move(made));
    }
    std::uint64_t print(gateway::sessions::cell& which, const std::string& escaped,
                        const std::string& name = "stdout") {
        auto& kept = name == "stdout" ? which.out : which.err;
        kept.head += escaped;
        return output(which, "stream", fmt::format(R"({{"name":"{}","text":"{}"}})", name, escaped));
    }
    void finish(gateway::sessions::cell& which,
                gateway::sessions::cell_status status = gateway::sessions::cell_status::ok) {
        which.status = status;
        which.ended_at = gateway::wall_clock::time_point(std::chrono::seconds(2));
        which.seq_last = log_.last_seq() + 1;
        auto finished = event("cell_finished", which.id);
        finished.body = gateway::sessions::cell_finished_body(which);
        log_.append(std::move(finished));
        changed_.notify_all();
    }
    gateway::sessions::entry event(const std::string& type, const std::string& cell_id = {}) {
        gateway::sessions::entry made;
        made.kind = gateway::sessions::entry_kind::event;
        made.type = type;
        made.cell_id = cell_id;
        made.body = "{}";
        return made;
    }
    gateway::sessions::shell& commands() override { return shell; }
    void forget_log() { log_.close(); }
    void set_options(gateway::sessions::session_options options) { options_ = std::move(options); }

    const std::string& id() const override { return id_; }
    const gateway::sessions::session_options& options() const override { return options_; }
    const std::string& name() const override { return options_.name; }
    gateway::sessions::session_state state() const override { return now; }
    gateway::sessions::cell_reason reason() const override { return why; }
    const std::string& failure_text() const override { return failed_with; }
    const std::string& kernel_id() const override { return kernel_id_; }
    const gateway::kernels::kernelspec& spec() const override { return running; }
    const std::string& connection_file() const override { return kernel_id_; }
    int restarts() const override { return restarted; }
    const gateway::sessions::task_step& step() const override { return at_step; }
    void note_step(gateway::sessions::task_step what) override { at_step = std::move(what); }
    gateway::wall_clock::time_point created_at() const override { return made_at; }
    gateway::wall_clock::time_point last_activity() const override { return made_at; }
    gateway::milliseconds cell_timeout() const override {
        return options_.cell_timeout.value_or(gateway::milliseconds(180'000));
    }
    const gateway::sessions::sandbox_size& size() const override {
        const auto wanted = gateway::sessions::known_sandbox(options_.sandbox).size;
        for (const auto& each : sizes_)
            if (each.name == wanted) return each;
        return sizes_.front();
    }
    bool has_sandbox() const override { return gateway::sessions::known_sandbox(options_.sandbox).enable; }
    gateway::sessions::cell_settings settings_for(gateway::sessions::origin who) const override {
        return gateway::sessions::choose_settings({}, who, options_.settings);
    }
    const gateway::egress::proxy* network() const override { return nullptr; }
    const std::string& helper_key() const override { return kernel_id_; }
    const gateway::tools::shared_meters& meters() const override { return meters_; }
    const std::string& files_directory() const override { return files_directory_.path(); }
    const std::shared_ptr<mounts::file_store>& files() const override { return files_; }
    const std::string& packages_directory() const override { return files_directory_.path(); }
    gateway::sessions::output_log& log() override { return log_; }
    gateway::awaitable<gateway::result<void>> ready() override { co_return gateway::result<void>(); }

    gateway::result<gateway::sessions::submitted> execute(gateway::sessions::execute_options what) override {
        if (refuses) return *refuses;
        for (const auto& each : all_)
            if (!what.idempotency_key.empty() && each->idempotency_key == what.idempotency_key)
                return gateway::sessions::submitted{each->id, each->seq_first};
        auto made = add_cell(what.code, gateway::sessions::origin::agent);
        made->idempotency_key = what.idempotency_key;
        executed.push_back(std::move(what));
        return gateway::sessions::submitted{made->id, made->seq_first};
    }
    gateway::awaitable<gateway::result<std::shared_ptr<const gateway::sessions::cell>>> wait_for(
        std::string cell_id) override {
        auto found = find_cell(cell_id);
        if (!found) co_return gateway::failure{gateway::errc::cell_not_found, "no such cell"};
        while (!is_final(found->status)) co_await changed_.wait();
        co_return found;
    }
    std::shared_ptr<const gateway::sessions::cell> find_cell(const std::string& cell_id) const override {
        for (const auto& each : all_)
            if (each->id == cell_id) return each;
        return nullptr;
    }
    std::shared_ptr<gateway::sessions::cell> cell_at(std::size_t which) { return all_.at(which); }
    std::vector<std::shared_ptr<const gateway::sessions::cell>> cells(std::uint64_t after,
                                                                      std::size_t limit) const override {
        std::vector<std::shared_ptr<const gateway::sessions::cell>> some;
        for (const auto& each : all_)
            if (each->seq_first > after && some.size() < limit) some.push_back(each);
        return some;
    }
    gateway::awaitable<gateway::result<void>> cancel(std::string cell_id) override {
        cancelled.push_back(cell_id);
        co_return done();
    }
    gateway::result<void> correct(const std::string& request, gateway::sessions::correction what) override {
        if (refuses) return *refuses;
        corrected.emplace_back(request, std::move(what));
        return {};
    }
    gateway::result<void> answer_input(const std::string& cell_id, const std::string& value) override {
        inputs.emplace_back(cell_id, value);
        return done();
    }
    void record_installed(const std::string&, std::vector<gateway::sessions::installed_package>) override {}
    std::optional<gateway::sessions::input_prompt> pending_input() const override { return prompt; }
    gateway::awaitable<gateway::result<std::string>> complete(std::string code, int cursor_pos) override {
        asked = {code, cursor_pos};
        if (refuses) co_return *refuses;
        co_return kernel_answer;
    }
    gateway::awaitable<gateway::result<std::string>> inspect(std::string code, int cursor_pos, int) override {
        return complete(std::move(code), cursor_pos);
    }
    gateway::awaitable<gateway::result<void>> interrupt() override {
        ++interrupts;
        co_return done();
    }
    gateway::awaitable<gateway::result<void>> restart() override {
        ++restarted;
        co_return done();
    }
    gateway::awaitable<void> end(gateway::kernels::end_reason) override { co_return; }
    std::shared_ptr<gateway::sessions::jupyter_client> connect(const std::string&, const std::string&) override {
        return nullptr;
    }
    std::size_t connections() const override { return 0; }
    std::size_t connections_via(const std::string&) const override { return 0; }
    std::shared_ptr<void> count_agent_socket() override { return sockets_; }
    std::size_t agent_sockets() const override { return static_cast<std::size_t>(sockets_.use_count() - 1); }
    bool has_work() const override { return false; }
    std::optional<std::chrono::steady_clock::time_point> busy_since() const override { return std::nullopt; }

  private:
    gateway::result<void> done() const {
        if (refuses) return *refuses;
        return {};
    }

    std::string id_;
    std::vector<gateway::sessions::sandbox_size> sizes_ = gateway::sessions::usual_sizes();
    std::string kernel_id_ = "7b3f0a52-0000-4000-8000-000000000000";
    gateway::sessions::session_options options_;
    temporary_directory log_directory_;
    temporary_directory files_directory_;
    temporary_directory uploads_directory_;
    std::shared_ptr<mounts::file_store> files_ =
        std::make_shared<mounts::local_files>(files_directory_.path(), uploads_directory_.path());
    gateway::sessions::log_budget budget_{1u << 30, 1u << 30};
    gateway::sessions::output_log log_;
    gateway::event changed_;
    gateway::tools::shared_meters meters_;
    std::vector<std::shared_ptr<gateway::sessions::cell>> all_;
    std::shared_ptr<void> sockets_ = std::make_shared<int>(0);
};

class fake_agent_registry final : public gateway::sessions::registry {
  public:
    fake_agent_registry(gateway::executor ex, boost::asio::thread_pool& pool) : ex_(std::move(ex)), pool_(pool) {}

    std::shared_ptr<fake_agent_session> add(gateway::sessions::session_options options,
                                            gateway::sessions::log_limits limits = {}) {
        auto made = std::make_shared<fake_agent_session>(ex_, pool_, fmt::format("ses_{}", ++made_), std::move(options),
                                                         limits);
        made->made_at = gateway::wall_clock::time_point(std::chrono::seconds(made_));
        sessions_.push_back(made);
        return made;
    }
    std::optional<gateway::failure> create_fails;
    std::optional<gateway::failure> change_fails;
    gateway::event* holds_changes = nullptr;  // a change ends when it is notified

    gateway::awaitable<gateway::result<std::shared_ptr<gateway::sessions::session>>> create(
        gateway::sessions::session_options options) override {
        if (create_fails) co_return *create_fails;
        co_return std::shared_ptr<gateway::sessions::session>(add(std::move(options)));
    }
    gateway::awaitable<gateway::result<void>> change(std::string id, gateway::sessions::session_change what) override {
        if (change_fails) co_return *change_fails;
        for (const auto& each : sessions_) {
            if (each->id() != id) continue;
            auto after = gateway::sessions::changed(each->options(), what, id);
            if (!after) co_return after.error();
            each->set_options(std::move(*after));
        }
        if (holds_changes) co_await holds_changes->wait();
        co_return gateway::result<void>();
    }
    std::shared_ptr<gateway::sessions::session> find(const std::string& id) const override {
        for (const auto& each : sessions_)
            if (each->id() == id) return each;
        return nullptr;
    }
    std::shared_ptr<gateway::sessions::session> find_by_name(const std::string& user_id,
                                                             const std::string& name) const override {
        for (const auto& each : sessions_)
            if (each->options().user_id == user_id && each->name() == name) return each;
        return nullptr;
    }
    std::shared_ptr<gateway::sessions::session> find_by_helper_key(const std::string& key) const override {
        for (const auto& each : sessions_)
            if (each->helper_key() == key) return each;
        return nullptr;
    }
    std::vector<std::shared_ptr<gateway::sessions::session>> list() const override {
        return {sessions_.begin(), sessions_.end()};
    }
    std::optional<gateway::sessions::kernel_entry> find_kernel(const std::string&) const override {
        return std::nullopt;
    }
    std::vector<gateway::sessions::kernel_entry> kernels() const override { return {}; }
    std::string tombstone(const std::string&) const override { return {}; }
    gateway::result<gateway::sessions::alias> attach(const std::string&, const std::string&) override {
        return gateway::failure{gateway::errc::unavailable, "not part of this fake"};
    }
    void detach(const std::string&) override {}
    gateway::awaitable<gateway::result<void>> remove(std::string id, gateway::kernels::end_reason) override {
        if (std::erase_if(sessions_, [&](const auto& each) { return each->id() == id; }) == 0)
            co_return gateway::failure{gateway::errc::session_not_found, "no such session"};
        co_return gateway::result<void>();
    }
    gateway::awaitable<void> stop() override { co_return; }
    gateway::kernels::kernelspec_store& specs() override { return specs_; }
    const std::string& default_kernel() const override { return default_; }

  private:
    gateway::executor ex_;
    boost::asio::thread_pool& pool_;
    std::vector<std::shared_ptr<fake_agent_session>> sessions_;
    gateway::kernels::kernelspec_store specs_{{}};
    std::string default_ = "python3";
    int made_ = 0;
};

}  // namespace test_support
