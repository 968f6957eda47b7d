#include "gateway/sessions/live_shell.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "gateway/sessions/command_events.hpp"

namespace gateway::sessions {
namespace {

constexpr int most_attempts = 3;              // to start a command while the kernel is replaced
constexpr milliseconds end_patience{10'000};  // with a kernel that takes no more, and has not ended yet

failure unknown(const std::string& command_id) {
    return {errc::command_not_found,
            fmt::format("there is no command {} in this session; GET …/commands lists them", command_id)};
}

// A command that is not known yet, but counts.
class starting_mark {
  public:
    explicit starting_mark(std::size_t& count) : count_(count) { ++count_; }
    starting_mark(const starting_mark&) = delete;
    starting_mark& operator=(const starting_mark&) = delete;
    ~starting_mark() { --count_; }

  private:
    std::size_t& count_;
};

// `--`: what begins with a dash is no option of bash.
std::vector<std::string> argv_of(const command_options& what) {
    return what.argv.empty() ? std::vector<std::string>{"bash", "-c", "--", what.text} : what.argv;
}

}  // namespace

live_shell::live_shell(executor ex, shell_host host, shell_limits limits)
    : ex_(ex),
      host_(std::move(host)),
      limits_(limits),
      changed_(std::move(ex)),
      self_(std::make_shared<live_shell*>(this)) {}

live_shell::~live_shell() {
    close();
    *self_ = nullptr;
}

result<void> live_shell::check_room() const {
    if (running_ + starting_ < limits_.running) return {};
    return failure{
        errc::limit_reached,
        fmt::format("{} commands run in this session, which is what sessions.max_commands allows: wait for one, "
                    "or end one with a signal",
                    running_ + starting_)};
}

awaitable<result<submitted>> live_shell::start(command_options what) {
    for (int attempt = 1;; ++attempt) {
        auto there = co_await host_.ready();
        if (!there) co_return there.error();
        if (closed_) co_return failure{errc::session_dead, "the session has ended"};
        if (auto room = check_room(); !room) co_return room.error();
        const auto ends_before = kernel_ends_;
        auto launching = launch(what);
        auto begun = co_await std::move(launching);
        if (begun || begun.error().code != errc::kernel_dead || attempt == most_attempts) co_return begun;
        // It is on its way out, and the next one will do.
        const auto deadline = std::chrono::steady_clock::now() + end_patience;
        while (kernel_ends_ == ends_before && !closed_ && std::chrono::steady_clock::now() < deadline)
            co_await changed_.wait_for(end_patience);
        if (kernel_ends_ == ends_before) co_return begun;
    }
}

awaitable<result<submitted>> live_shell::launch(command_options what) {
    starting_mark mark(starting_);
    auto pipes = make_pipes(what.stdin_stays_open || !what.input.empty());
    if (!pipes) co_return pipes.error();
    kernels::program_start program;
    program.argv = argv_of(what);
    program.env = what.env;
    program.working_dir = what.working_dir;
    // The end may be told before this goes on.
    const auto id = make_id("cmd_");
    auto early = std::make_shared<std::optional<kernels::program_end>>();
    std::function<void(kernels::program_end)> on_end = [alive = self_, id, early](kernels::program_end how) {
        *early = how;
        if (*alive != nullptr) (*alive)->program_ended(id, how);
    };
    const auto ends_before = kernel_ends_;
    const auto kernel = host_.kernel();
    auto starting = kernel->run(std::move(program), std::move(pipes->theirs), std::move(on_end));
    auto started = co_await std::move(starting);
    if (closed_) co_return failure{errc::session_dead, "the session has ended"};
    if (!started) co_return started.error();
    auto begun = begin(id, std::move(what), started_program{kernel, std::move(*started)}, std::move(pipes->ours));
    if (*early) program_ended(id, **early);
    if (kernel_ends_ != ends_before) lose(id, kernel_end_);
    co_return begun;
}

submitted live_shell::begin(const std::string& id, command_options what, started_program program, command_pipes ours) {
    auto made = std::make_shared<command>();
    made->id = id;
    made->argv = argv_of(what);
    made->text = what.text;
    made->working_dir = what.working_dir;
    made->background = what.background;
    made->timeout = what.timeout.value_or(limits_.timeout);
    made->started_at = wall_clock::now();
    made->seq_first = made->seq_last = log_event("command_started", *made, command_started_body(*made));
    command_listener listener;
    listener.signal = [program](int number, bool sweep) { program.kernel->signal_program(program.id, number, sweep); };
    listener.output = [this, id](command_stream which, std::string text) { take_output(id, which, std::move(text)); };
    listener.ended = [this, id](const command_outcome& how) { end_command(id, how); };
    listener.silent = [this, id] { forget_process(id); };
    command_fsm machine(limits_.ends, made->timeout, std::chrono::steady_clock::now());
    page opened;
    opened.what = made;
    opened.process = std::make_shared<running_command>(ex_, std::move(ours), std::move(machine), std::move(listener));
    auto process = opened.process;
    pages_.emplace(id, std::move(opened));
    order_.push_back(id);
    ++running_;
    host_.active();
    process->start();
    if (what.stdin_stays_open || !what.input.empty()) (void)process->write(what.input, !what.stdin_stays_open);
    return {id, made->seq_first};
}

void live_shell::program_ended(const std::string& command_id, kernels::program_end how) {
    auto* found = find_page(command_id);
    if (found != nullptr && found->process) found->process->exited(how);
}

void live_shell::take_output(const std::string& command_id, command_stream which, std::string text) {
    auto* found = find_page(command_id);
    if (found == nullptr) return;
    auto& owner = *found->what;
    auto& keeper = which == command_stream::out ? found->out : found->err;
    if (!keeper) {
        auto name = fmt::format("{}.{}.txt", owner.id, to_string(which));
        keeper = std::make_unique<text_keeper>(host_.files_directory, std::move(name), host_.texts);
    }
    keeper->append(owner.text_of(which), text);
    owner.seq_last = log_event("command_output", owner, command_output_body(owner, which, text));
}

void live_shell::end_command(const std::string& command_id, const command_outcome& how) {
    auto* found = find_page(command_id);
    if (found == nullptr) return;
    auto& ended = *found->what;
    ended.status = how.status;
    ended.reason = how.reason;
    ended.exit_code = how.exit_code;
    ended.signal = how.signal;
    ended.left_open = how.left_open;
    ended.ended_at = wall_clock::now();
    ended.duration = std::chrono::duration_cast<milliseconds>(*ended.ended_at - ended.started_at);
    ended.seq_last = host_.log.last_seq() + 1;  // the event tells its own seq as the command's last
    log_event("command_finished", ended, command_finished_body(ended));
    for (auto* each : {found->out.get(), found->err.get()})
        if (each != nullptr) each->finish();
    --running_;
    ++ended_;
    host_.active();
    changed_.notify_all();
    if (how.status == cell_status::lost || how.left_open.empty()) return forget_process(command_id);
    left_.push_back(command_id);
    if (left_.size() > limits_.running) forget_process(left_.front());
}

// Nothing more is read of it.
void live_shell::forget_process(const std::string& command_id) {
    auto* found = find_page(command_id);
    if (found == nullptr || !is_final(found->what->status)) return;
    std::erase(left_, std::string(command_id));
    found->out.reset();
    found->err.reset();
    if (auto process = std::move(found->process)) {
        process->close();
        // Its owner may be in the middle of a call from it.
        asio::post(ex_, [process = std::move(process)] {});
    }
    drop_oldest();
}

void live_shell::drop_oldest() {
    while (ended_ > limits_.kept) {
        auto oldest = std::find_if(order_.begin(), order_.end(), [&](const auto& each) {
            const auto& which = pages_.at(each);
            return is_final(which.what->status) && !which.process;
        });
        if (oldest == order_.end()) return;
        pages_.erase(*oldest);
        order_.erase(oldest);
        --ended_;
    }
}

awaitable<result<shared_command>> live_shell::wait_for(std::string command_id) {
    shared_command which = find(command_id);
    if (!which) co_return unknown(command_id);
    while (!is_final(which->status) && !closed_) co_await changed_.wait();
    if (is_final(which->status)) co_return which;
    co_return failure{errc::session_dead, "the session has ended"};
}

shared_command live_shell::find(const std::string& command_id) const {
    auto found = pages_.find(command_id);
    return found == pages_.end() ? nullptr : found->second.what;
}

std::vector<shared_command> live_shell::list(std::uint64_t after, std::size_t limit) const {
    std::vector<shared_command> all;
    for (const auto& each : order_) {
        if (all.size() == limit) break;
        const auto& which = pages_.at(each).what;
        if (which->seq_first > after) all.push_back(which);
    }
    return all;
}

result<live_shell::page*> live_shell::find_running(const std::string& command_id) {
    auto* found = find_page(command_id);
    if (found == nullptr) return unknown(command_id);
    if (is_final(found->what->status))
        return failure{errc::command_not_running,
                       fmt::format("the command {} has ended ({})", command_id, to_string(found->what->status))};
    return found;
}

result<void> live_shell::signal(const std::string& command_id, int number) {
    auto found = find_running(command_id);
    if (!found) return found.error();
    if ((*found)->process->signal(number)) return {};
    return failure{errc::command_not_running, fmt::format("the main process of the command {} has ended", command_id)};
}

result<void> live_shell::write(const std::string& command_id, std::string data, bool eof) {
    auto found = find_running(command_id);
    if (!found) return found.error();
    return (*found)->process->write(std::move(data), eof);
}

void live_shell::lose(const std::string& command_id, cell_reason why) {
    auto* found = find_page(command_id);
    if (found == nullptr) return;
    if (auto process = found->process) process->kernel_ended(why);
}

void live_shell::kernel_ended(cell_reason why) {
    ++kernel_ends_;
    kernel_end_ = why;
    changed_.notify_all();
    for (const auto& id : std::vector<std::string>(order_.begin(), order_.end())) lose(id, why);
    // What was left of ended ones went with the box.
    while (!left_.empty()) forget_process(std::string(left_.front()));
}

void live_shell::close() {
    if (std::exchange(closed_, true)) return;
    for (auto& [id, each] : pages_)
        if (each.process) each.process->close();
    changed_.notify_all();
}

std::uint64_t live_shell::log_event(const char* type, const command& of, std::string body) {
    entry made;
    made.kind = entry_kind::event;
    made.type = type;
    made.cell_id = of.id;
    made.body = std::move(body);
    return host_.append(std::move(made));
}

live_shell::page* live_shell::find_page(const std::string& command_id) {
    auto found = pages_.find(command_id);
    return found == pages_.end() ? nullptr : &found->second;
}

}  // namespace gateway::sessions
