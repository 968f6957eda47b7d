// Commands that the test runs by hand, told in a real log. Owned by a fake session.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/sessions/command_events.hpp"
#include "gateway/sessions/output_log.hpp"
#include "gateway/sessions/shell.hpp"

namespace test_support {

class fake_shell final : public gateway::sessions::shell {
  public:
    fake_shell(gateway::executor ex, gateway::sessions::output_log& log) : log_(log), changed_(std::move(ex)) {}

    std::optional<gateway::failure> refuses;  // what every action answers
    std::vector<gateway::sessions::command_options> started;
    std::vector<std::pair<std::string, int>> signals;
    std::vector<std::pair<std::string, bool>> inputs;
    std::vector<std::shared_ptr<gateway::sessions::command>> all;

    void print(gateway::sessions::command& which, const std::string& text) {
        which.out.head += text;
        tell(which, "command_output", command_output_body(which, gateway::sessions::command_stream::out, text));
    }
    void finish(gateway::sessions::command& which, int exit_code = 0) {
        which.status = exit_code == 0 ? gateway::sessions::cell_status::ok : gateway::sessions::cell_status::error;
        which.exit_code = exit_code;
        which.seq_last = log_.last_seq() + 1;
        tell(which, "command_finished", command_finished_body(which));
        changed_.notify_all();
    }

    gateway::awaitable<gateway::result<gateway::sessions::submitted>> start(
        gateway::sessions::command_options what) override {
        if (refuses) co_return *refuses;
        auto made = std::make_shared<gateway::sessions::command>();
        made->id = fmt::format("cmd_{}", all.size() + 1);
        made->argv = what.argv;
        made->text = what.text;
        made->background = what.background;
        tell(*made, "command_started", command_started_body(*made));
        made->seq_first = made->seq_last;
        all.push_back(made);
        started.push_back(std::move(what));
        gateway::sessions::submitted begun{made->id, made->seq_first};
        co_return begun;
    }
    gateway::awaitable<gateway::result<gateway::sessions::shared_command>> wait_for(std::string command_id) override {
        auto found = find(command_id);
        if (!found) co_return gateway::failure{gateway::errc::command_not_found, "no such command"};
        while (!is_final(found->status)) co_await changed_.wait();
        co_return found;
    }
    gateway::sessions::shared_command find(const std::string& command_id) const override {
        for (const auto& each : all)
            if (each->id == command_id) return each;
        return nullptr;
    }
    std::vector<gateway::sessions::shared_command> list(std::uint64_t after, std::size_t limit) const override {
        std::vector<gateway::sessions::shared_command> some;
        for (const auto& each : all)
            if (each->seq_first > after && some.size() < limit) some.push_back(each);
        return some;
    }
    gateway::result<void> signal(const std::string& command_id, int number) override {
        if (refuses) return *refuses;
        signals.emplace_back(command_id, number);
        return {};
    }
    gateway::result<void> write(const std::string&, std::string data, bool eof) override {
        if (refuses) return *refuses;
        inputs.emplace_back(std::move(data), eof);
        return {};
    }
    std::size_t running() const override { return 0; }

  private:
    void tell(gateway::sessions::command& which, const char* type, std::string body) {
        gateway::sessions::entry made;
        made.kind = gateway::sessions::entry_kind::event;
        made.type = type;
        made.cell_id = which.id;
        made.body = std::move(body);
        which.seq_last = log_.append(std::move(made));
    }

    gateway::sessions::output_log& log_;
    gateway::event changed_;
};

}  // namespace test_support
