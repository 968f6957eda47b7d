// A session, a registry and a Jupyter client without a kernel behind them: what they answer is set, what they were
// asked is kept. For tests of what stands on gateway/sessions.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/sessions/registry.hpp"
#include "tests/support/fake_shell.hpp"
#include "tests/support/temporary_directory.hpp"

namespace test_support {

using gateway::awaitable;
using gateway::errc;
using gateway::failure;
using gateway::result;

// Its messages are pushed by the test; next() waits for them.
class fake_jupyter_client final : public gateway::sessions::jupyter_client {
  public:
    explicit fake_jupyter_client(gateway::executor ex) : pushed_(std::move(ex)) {}

    void push(std::uint64_t seq, messaging::message what, bool merged = false) {
        auto shared = std::make_shared<const messaging::message>(std::move(what));
        waiting_.push_back({seq, std::move(shared), merged});
        pushed_.notify_all();
    }
    void finish(gateway::sessions::client_end why) {
        end_ = why;
        finished_ = true;
        pushed_.notify_all();
    }

    awaitable<std::vector<gateway::sessions::delivery>> next(std::size_t) override {
        std::vector<gateway::sessions::delivery> batch;
        ++waits;
        if (waiting_.empty() && !finished_) co_await pushed_.wait();
        while (!waiting_.empty()) {
            batch.push_back(std::move(waiting_.front()));
            waiting_.pop_front();
        }
        co_return batch;
    }
    gateway::sessions::client_end end() const override { return end_; }
    void acknowledge(std::uint64_t seq) override { acknowledged = seq; }
    result<void> send(messaging::message what) override {
        sent.push_back(std::move(what));
        if (refuse_with) return *refuse_with;
        return {};
    }
    void disconnected(std::uint64_t sending) override { disconnects.push_back(sending); }

    int waits = 0;
    std::uint64_t acknowledged = 0;
    std::vector<messaging::message> sent;
    std::optional<failure> refuse_with;
    std::vector<std::uint64_t> disconnects;  // what each call named

  private:
    gateway::event pushed_;
    std::deque<gateway::sessions::delivery> waiting_;
    gateway::sessions::client_end end_ = gateway::sessions::client_end::none;
    bool finished_ = false;
};

class fake_session final : public gateway::sessions::session {
  public:
    fake_session(gateway::executor ex, std::string id, gateway::sessions::session_options options)
        : ex_(ex),
          id_(std::move(id)),
          options_(std::move(options)),
          meters_(std::make_shared<gateway::tools::meters>(ex)) {
        kernel_id_ = options_.kernel_id.empty() ? gateway::make_uuid() : options_.kernel_id;
        name_ = options_.name.empty() ? id_ : options_.name;
    }

    // What it says of itself.
    gateway::sessions::session_state now = gateway::sessions::session_state::idle;
    gateway::sessions::cell_reason why = gateway::sessions::cell_reason::none;
    std::string failed_with;
    gateway::kernels::kernelspec running;
    gateway::wall_clock::time_point active_at{};
    std::size_t connected = 0;
    std::size_t agents = 0;
    std::map<std::string, std::size_t> connected_via;
    std::optional<failure> interrupt_fails, restart_fails;
    // What it was asked.
    int interrupts = 0;
    int restarted = 0;
    gateway::sessions::task_step at_step;
    std::vector<std::pair<std::string, std::string>> connects;  // session_id, via
    std::shared_ptr<fake_jupyter_client> client;                // the last one

    const std::string& id() const override { return id_; }
    const gateway::sessions::session_options& options() const override { return options_; }
    const std::string& name() const override { return name_; }
    gateway::sessions::session_state state() const override { return now; }
    gateway::sessions::cell_reason reason() const override { return why; }
    const std::string& failure_text() const override { return failed_with; }
    const std::string& kernel_id() const override { return kernel_id_; }
    const gateway::kernels::kernelspec& spec() const override { return running; }
    const std::string& connection_file() const override { return empty_; }
    int restarts() const override { return restarted; }
    const gateway::sessions::task_step& step() const override { return at_step; }
    void note_step(gateway::sessions::task_step what) override { at_step = std::move(what); }
    gateway::wall_clock::time_point created_at() const override { return active_at; }
    gateway::wall_clock::time_point last_activity() const override { return active_at; }
    gateway::milliseconds cell_timeout() const override { return gateway::milliseconds(180'000); }
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
    const std::string& helper_key() const override { return empty_; }
    const gateway::tools::shared_meters& meters() const override { return meters_; }
    const std::string& files_directory() const override { return empty_; }
    const std::shared_ptr<mounts::file_store>& files() const override { return files_; }
    const std::string& packages_directory() const override { return empty_; }
    gateway::sessions::shell& commands() override {
        if (!shell_) shell_ = std::make_unique<fake_shell>(ex_, log());
        return *shell_;
    }
    gateway::sessions::output_log& log() override {
        if (!log_)
            log_ = std::make_unique<gateway::sessions::output_log>(ex_, pool_, budget_, gateway::sessions::log_limits{},
                                                                   directory_.path());
        return *log_;
    }
    awaitable<result<void>> ready() override { co_return result<void>(); }

    result<gateway::sessions::submitted> execute(gateway::sessions::execute_options) override { return unsupported(); }
    awaitable<result<std::shared_ptr<const gateway::sessions::cell>>> wait_for(std::string) override {
        co_return unsupported();
    }
    std::shared_ptr<const gateway::sessions::cell> find_cell(const std::string&) const override { return nullptr; }
    std::vector<std::shared_ptr<const gateway::sessions::cell>> cells(std::uint64_t, std::size_t) const override {
        return {};
    }
    awaitable<result<void>> cancel(std::string) override { co_return unsupported(); }
    result<void> correct(const std::string&, gateway::sessions::correction) override { return unsupported(); }
    result<void> answer_input(const std::string&, const std::string&) override { return unsupported(); }
    void record_installed(const std::string&, std::vector<gateway::sessions::installed_package>) override {}
    std::optional<gateway::sessions::input_prompt> pending_input() const override { return std::nullopt; }
    awaitable<result<std::string>> complete(std::string, int) override { co_return unsupported(); }
    awaitable<result<std::string>> inspect(std::string, int, int) override { co_return unsupported(); }

    awaitable<result<void>> interrupt() override {
        ++interrupts;
        if (interrupt_fails) co_return *interrupt_fails;
        co_return result<void>();
    }
    awaitable<result<void>> restart() override {
        ++restarted;
        if (restart_fails) co_return *restart_fails;
        co_return result<void>();
    }
    awaitable<void> end(gateway::kernels::end_reason) override { co_return; }

    std::shared_ptr<gateway::sessions::jupyter_client> connect(const std::string& session_id,
                                                               const std::string& via) override {
        connects.emplace_back(session_id, via);
        client = std::make_shared<fake_jupyter_client>(ex_);
        return client;
    }
    std::size_t connections() const override { return connected; }
    std::size_t connections_via(const std::string& kernel_id) const override {
        auto found = connected_via.find(kernel_id);
        return found == connected_via.end() ? 0 : found->second;
    }
    std::shared_ptr<void> count_agent_socket() override { return std::make_shared<int>(); }
    std::size_t agent_sockets() const override { return agents; }
    bool has_work() const override { return false; }
    std::optional<std::chrono::steady_clock::time_point> busy_since() const override { return std::nullopt; }

  private:
    static failure unsupported() { return failure{errc::unavailable, "not part of the fake session"}; }

    gateway::executor ex_;
    std::string id_, name_, kernel_id_, empty_;
    std::shared_ptr<mounts::file_store> files_;
    std::vector<gateway::sessions::sandbox_size> sizes_ = gateway::sessions::usual_sizes();
    gateway::sessions::session_options options_;
    gateway::tools::shared_meters meters_;
    temporary_directory directory_;
    boost::asio::thread_pool pool_{1};
    gateway::sessions::log_budget budget_{1u << 30, 1u << 30};
    std::unique_ptr<gateway::sessions::output_log> log_;
    std::unique_ptr<fake_shell> shell_;
};

class fake_registry final : public gateway::sessions::registry {
  public:
    explicit fake_registry(gateway::executor ex, std::vector<std::string> spec_directories = {})
        : ex_(std::move(ex)), specs_(std::move(spec_directories)) {}

    std::shared_ptr<fake_session> add(gateway::sessions::session_options options) {
        auto id = "ses_" + std::to_string(sessions_.size() + 1);
        auto made = std::make_shared<fake_session>(ex_, id, std::move(options));
        made->running.name = made->options().kernel_name.empty() ? default_name : made->options().kernel_name;
        made->running.json = "{}";
        sessions_.push_back(made);
        return made;
    }

    std::optional<failure> create_fails;
    std::string default_name = "python3";
    std::map<std::string, std::string> tombstones;
    std::vector<std::string> detached, removed;

    awaitable<result<std::shared_ptr<gateway::sessions::session>>> create(
        gateway::sessions::session_options options) override {
        if (create_fails) co_return *create_fails;
        co_return std::shared_ptr<gateway::sessions::session>(add(std::move(options)));
    }
    awaitable<result<void>> change(std::string, gateway::sessions::session_change) override {
        co_return failure{errc::unavailable, "not part of this fake"};
    }
    std::shared_ptr<gateway::sessions::session> find(const std::string& id) const override {
        for (const auto& each : sessions_)
            if (each->id() == id) return each;
        return nullptr;
    }
    std::shared_ptr<gateway::sessions::session> find_by_name(const std::string&, const std::string&) const override {
        return nullptr;
    }
    std::shared_ptr<gateway::sessions::session> find_by_helper_key(const std::string&) const override {
        return nullptr;
    }
    std::vector<std::shared_ptr<gateway::sessions::session>> list() const override {
        return {sessions_.begin(), sessions_.end()};
    }
    std::optional<gateway::sessions::kernel_entry> find_kernel(const std::string& kernel_id) const override {
        for (const auto& each : kernels())
            if (each.kernel_id() == kernel_id) return each;
        return std::nullopt;
    }
    std::vector<gateway::sessions::kernel_entry> kernels() const override {
        std::vector<gateway::sessions::kernel_entry> all;
        for (const auto& each : sessions_) {
            gateway::sessions::kernel_entry own;
            own.owner = each;
            own.listed = each->options().made_by == gateway::sessions::origin::jupyter;
            all.push_back(std::move(own));
        }
        for (const auto& each : aliases_) {
            gateway::sessions::kernel_entry through;
            through.owner = find(each.session_id);
            through.through = each;
            if (through.owner) all.push_back(std::move(through));
        }
        return all;
    }
    std::string tombstone(const std::string& kernel_id) const override {
        auto found = tombstones.find(kernel_id);
        return found == tombstones.end() ? std::string() : found->second;
    }
    result<gateway::sessions::alias> attach(const std::string& session_id, const std::string& user_id) override {
        gateway::sessions::alias made;
        made.kernel_id = gateway::make_uuid();
        made.spec_name = "attach-" + session_id;
        made.session_id = session_id;
        made.user_id = user_id;
        aliases_.push_back(made);
        return made;
    }
    void detach(const std::string& alias_id) override {
        detached.push_back(alias_id);
        std::erase_if(aliases_, [&](const auto& each) { return each.kernel_id == alias_id; });
    }
    awaitable<result<void>> remove(std::string session_id, gateway::kernels::end_reason why) override {
        removed.push_back(session_id);
        for (const auto& each : sessions_)
            if (each->id() == session_id) tombstones[each->kernel_id()] = gateway::kernels::to_string(why);
        std::erase_if(sessions_, [&](const auto& each) { return each->id() == session_id; });
        co_return result<void>();
    }
    awaitable<void> stop() override { co_return; }
    gateway::kernels::kernelspec_store& specs() override { return specs_; }
    const std::string& default_kernel() const override { return default_name; }

  private:
    gateway::executor ex_;
    gateway::kernels::kernelspec_store specs_;
    std::vector<std::shared_ptr<fake_session>> sessions_;
    std::vector<gateway::sessions::alias> aliases_;
};

}  // namespace test_support
