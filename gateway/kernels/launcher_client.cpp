#include "gateway/kernels/launcher_client.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <csignal>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/kernels/run_table.hpp"
#include "kernel/launcher/channel.hpp"
#include "kernel/launcher/codec.hpp"

namespace gateway::kernels {
namespace {

using ::kernel::channel_state;
using exit_function = std::function<void(process_end)>;

constexpr milliseconds longest_delivery{1'000};  // through two processes that have nothing else to do

// A kernel from its launch to the notice of its end.
struct living {
    explicit living(executor ex, exit_function on_exit)
        : answered(ex), signalled(std::move(ex)), on_exit(std::move(on_exit)) {}
    void forget_signals() {
        signals_under_way = 0;
        signalled.notify_all();
    }
    event answered;
    event signalled;
    int signals_under_way = 0;
    std::optional<result<process>> outcome;
    exit_function on_exit;
};

// Outlives the client while a coroutine or a callback of the socket refers to it.
class connection : public std::enable_shared_from_this<connection> {
  public:
    connection(executor ex, ::kernel::file_descriptor socket, std::function<std::string()> how_it_ended,
               std::function<void()> on_lost)
        : ex_(ex),
          socket_(std::move(ex), socket.release()),
          how_it_ended_(std::move(how_it_ended)),
          on_lost_(std::move(on_lost)),
          runs_(ex_) {}

    std::shared_ptr<living> begin(const ::kernel::launch_request& what, exit_function on_exit);
    void abandon(const std::string& id, living& which);
    void send(const ::kernel::command& what, std::vector<::kernel::file_descriptor> files = {});
    result<std::shared_ptr<run_table::entry>> begin_run(const ::kernel::run_request& what, program_files files,
                                                        run_table::end_function on_end);
    void signal_run(const std::string& id, int number, bool sweep);
    void signal(const std::string& id, int number);
    std::shared_ptr<living> find(const std::string& id) const;
    void read();
    void close();

  private:
    using files = std::vector<::kernel::file_descriptor>;  // that came with a reply
    void flush();
    void refuse_front(channel_state why);
    void wait_to_write();
    void wait_to_read();
    void handle(const ::kernel::launch_answer& answer, files with = {});
    void handle(const ::kernel::exit_notice& notice, files = {});
    void handle(const ::kernel::signal_notice& notice, files = {});
    void handle(const ::kernel::limits_notice&, files = {}) {}  // launcher_process::limits() may have taken it
    void handle(const ::kernel::run_answer& answer, files = {}) { runs_.handle(answer); }
    void handle(const ::kernel::run_end& end, files = {}) { runs_.handle(end); }
    void fail_all(const failure& why);
    void lose();

    struct outgoing {
        std::string text;
        ::kernel::reply refusal;  // for a text that cannot be sent
        std::vector<::kernel::file_descriptor> files;
    };

    executor ex_;
    asio::posix::stream_descriptor socket_;
    std::function<std::string()> how_it_ended_;
    std::function<void()> on_lost_;
    std::optional<failure> closed_;
    std::deque<outgoing> outbox_;
    std::map<std::string, std::shared_ptr<living>> kernels_;
    run_table runs_;
};

std::shared_ptr<living> connection::begin(const ::kernel::launch_request& what, exit_function on_exit) {
    auto made = std::make_shared<living>(ex_, std::move(on_exit));
    if (closed_)
        made->outcome = *closed_;
    else if (!kernels_.emplace(what.id, made).second)
        made->outcome = failure{errc::conflict, "a kernel with the id " + what.id + " is alive: wait for its end"};
    else
        send(what);
    return made;
}

// Whoever launched it waits no more: it may start nevertheless.
void connection::abandon(const std::string& id, living& which) {
    which.on_exit = nullptr;
    auto found = kernels_.find(id);
    if (found != kernels_.end() && found->second.get() == &which) send(::kernel::kill_command{id});
}

void connection::send(const ::kernel::command& what, std::vector<::kernel::file_descriptor> files) {
    if (closed_) return;
    ::kernel::reply refusal;
    if (const auto* launch = std::get_if<::kernel::launch_request>(&what))
        refusal = ::kernel::launch_answer{launch->id, 0, 0, {}};
    if (const auto* run = std::get_if<::kernel::run_request>(&what)) refusal = ::kernel::run_answer{run->id, 0, {}};
    outbox_.push_back({::kernel::encode(what), std::move(refusal), std::move(files)});
    if (outbox_.size() == 1) flush();
}

std::shared_ptr<living> connection::find(const std::string& id) const {
    auto found = kernels_.find(id);
    return found == kernels_.end() ? nullptr : found->second;
}

void connection::signal(const std::string& id, int number) {
    auto which = find(id);
    if (!which || closed_) return;
    ++which->signals_under_way;
    send(::kernel::signal_command{id, number});
}

result<std::shared_ptr<run_table::entry>> connection::begin_run(const ::kernel::run_request& what, program_files files,
                                                                run_table::end_function on_end) {
    if (closed_) return *closed_;
    if (runs_.contains(what.id)) return failure{errc::conflict, "a program with the id " + what.id + " runs"};
    auto made = runs_.add(what.id, std::move(on_end));
    send(what, {std::make_move_iterator(files.begin()), std::make_move_iterator(files.end())});
    return made;
}

void connection::signal_run(const std::string& id, int number, bool sweep) {
    if (runs_.contains(id)) send(::kernel::run_signal{id, number, sweep});
}

void connection::flush() {
    while (!outbox_.empty()) {
        const auto& next = outbox_.front();
        std::vector<int> files;
        for (const auto& each : next.files) files.push_back(each.get());
        channel_state state = ::kernel::send_text(socket_.native_handle(), next.text, false, files);
        if (state == channel_state::would_block) return wait_to_write();
        // A peer that has gone is the reader's to notice.
        if (state == channel_state::too_large || state == channel_state::no_memory) refuse_front(state);
        outbox_.pop_front();
    }
}

void connection::refuse_front(channel_state why) {
    const char* text = why == channel_state::too_large
                           ? "the launch request is too large: shorten its environment and arguments"
                           : "the launch request needs a file descriptor and memory: raise the limit on open files";
    auto refusal = std::move(outbox_.front().refusal);
    std::visit(
        [&](auto& each) {
            if constexpr (requires { each.error; }) each.error = text;
            handle(each);
        },
        refusal);
}

void connection::wait_to_write() {
    socket_.async_wait(asio::posix::stream_descriptor::wait_write,
                       [self = shared_from_this()](boost::system::error_code ec) {
                           if (!ec) self->flush();
                       });
}

void connection::wait_to_read() {
    socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](boost::system::error_code ec) {
                           if (!ec) self->read();
                       });
}

void connection::read() {
    for (;;) {
        ::kernel::received_text in = ::kernel::receive_text(socket_.native_handle(), false);
        if (in.state == channel_state::would_block) return wait_to_read();
        if (in.state != channel_state::ok) return lose();
        std::optional<::kernel::reply> what = ::kernel::decode_reply(in.text);
        if (what) std::visit([&](const auto& each) { handle(each, std::move(in.files)); }, *what);
    }
}

void connection::handle(const ::kernel::launch_answer& answer, files with) {
    auto found = kernels_.find(answer.id);
    if (found == kernels_.end()) return;
    auto which = found->second;
    if (answer.error.empty()) {
        process made{answer.id, answer.pid, answer.init_pid};
        if (!with.empty()) made.proxy_listener = std::make_shared<::kernel::file_descriptor>(std::move(with.front()));
        which->outcome = std::move(made);
    } else {
        kernels_.erase(found);
        which->outcome = failure{errc::kernel_start_failed, answer.error};
    }
    which->answered.notify_all();
}

void connection::handle(const ::kernel::signal_notice& notice, files) {
    auto which = find(notice.id);
    if (which && which->signals_under_way > 0 && --which->signals_under_way == 0) which->signalled.notify_all();
}

void connection::handle(const ::kernel::exit_notice& notice, files) {
    auto found = kernels_.find(notice.id);
    if (found == kernels_.end()) return;
    found->second->forget_signals();
    exit_function on_exit = std::exchange(found->second->on_exit, nullptr);
    kernels_.erase(found);
    // Later, so that whoever launched a kernel that ends at once gets its process first.
    if (on_exit)
        asio::post(ex_, [on_exit = std::move(on_exit), end = process_end{notice.status, notice.oom}] { on_exit(end); });
}

void connection::fail_all(const failure& why) {
    closed_ = why;
    outbox_.clear();
    for (auto& [id, each] : std::exchange(kernels_, {})) {
        each->forget_signals();
        if (!each->outcome) {
            each->outcome = why;
            each->answered.notify_all();
        } else if (each->on_exit) {
            asio::post(ex_, [on_exit = std::exchange(each->on_exit, nullptr)] { on_exit({SIGKILL, false}); });
        }
    }
    runs_.fail_all(why);
}

// Every box dies with the launcher.
void connection::lose() {
    failure why{errc::kernel_start_failed,
                "the process that launches kernels has ended (" + how_it_ended_() + "): restart the gateway"};
    log::error("{}; kernels that ended with it: {}", why.message, kernels_.size());
    socket_.close();
    if (on_lost_) on_lost_();
    fail_all(why);
}

void connection::close() {
    if (closed_) return;
    for (auto& [id, each] : kernels_) each->on_exit = nullptr;
    runs_.forget_listeners();
    socket_.close();
    fail_all({errc::kernel_start_failed, "the gateway is stopping"});
}

// Ends a kernel whose launch was cancelled, or whose caller went away, before it was handed over.
class launch_guard {
  public:
    launch_guard(connection& owner, std::string id, living& which) : owner_(owner), id_(std::move(id)), which_(which) {}
    launch_guard(const launch_guard&) = delete;
    launch_guard& operator=(const launch_guard&) = delete;
    ~launch_guard() {
        if (!handed_over_) owner_.abandon(id_, which_);
    }
    void hand_over() { handed_over_ = true; }

  private:
    connection& owner_;
    std::string id_;
    living& which_;
    bool handed_over_ = false;
};

// The same for a program.
class run_guard {
  public:
    run_guard(connection& owner, std::string id, run_table::entry& which)
        : owner_(owner), id_(std::move(id)), which_(which) {}
    run_guard(const run_guard&) = delete;
    run_guard& operator=(const run_guard&) = delete;
    ~run_guard() {
        if (handed_over_) return;
        which_.on_end = nullptr;
        owner_.signal_run(id_, SIGKILL, true);
    }
    void hand_over() { handed_over_ = true; }

  private:
    connection& owner_;
    std::string id_;
    run_table::entry& which_;
    bool handed_over_ = false;
};

class launcher_client final : public launcher {
  public:
    explicit launcher_client(std::shared_ptr<connection> to) : connection_(std::move(to)) { connection_->read(); }
    ~launcher_client() override { connection_->close(); }
    launcher_client(const launcher_client&) = delete;
    launcher_client& operator=(const launcher_client&) = delete;

    void prepare(::kernel::zygote_command which) override {
        connection_->send(::kernel::prepare_command{std::move(which)});
    }

    awaitable<result<process>> launch(::kernel::launch_request what, exit_function on_exit) override {
        auto owner = connection_;
        auto which = owner->begin(what, std::move(on_exit));
        launch_guard guard(*owner, std::move(what.id), *which);
        while (!which->outcome) co_await which->answered.wait();
        guard.hand_over();
        co_return std::move(*which->outcome);
    }

    void signal(const process& which, int number) override { connection_->signal(which.id, number); }

    awaitable<void> delivered(process which) override {
        auto known = connection_->find(which.id);
        auto deadline = std::chrono::steady_clock::now() + longest_delivery;
        while (known && known->signals_under_way > 0) {
            auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
            if (left.count() <= 0) co_return;
            co_await known->signalled.wait_for(left);
        }
    }

    awaitable<result<void>> run(::kernel::run_request what, program_files files,
                                run_table::end_function on_end) override {
        auto owner = connection_;
        auto which = owner->begin_run(what, std::move(files), std::move(on_end));
        if (!which) co_return which.error();
        run_guard guard(*owner, std::move(what.id), **which);
        while (!(*which)->outcome) co_await (*which)->answered.wait();
        guard.hand_over();
        co_return *(*which)->outcome;
    }

    void signal_run(const std::string& id, int number, bool sweep) override {
        connection_->signal_run(id, number, sweep);
    }

    void limit(const process& which, const ::kernel::box_limits& limits) override {
        connection_->send(::kernel::limit_command{which.id, limits});
    }

    void kill(const process& which) override { connection_->send(::kernel::kill_command{which.id}); }

  private:
    std::shared_ptr<connection> connection_;
};

}  // namespace

std::unique_ptr<launcher> make_launcher_client(executor ex, ::kernel::file_descriptor socket,
                                               std::function<std::string()> how_it_ended,
                                               std::function<void()> on_lost) {
    return std::make_unique<launcher_client>(
        std::make_shared<connection>(std::move(ex), std::move(socket), std::move(how_it_ended), std::move(on_lost)));
}

}  // namespace gateway::kernels
