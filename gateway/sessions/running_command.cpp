#include "gateway/sessions/running_command.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

namespace gateway::sessions {
namespace {

using ::kernel::file_descriptor;

// What a pipe holds.
constexpr std::size_t piece_bytes = 64u << 10;

result<std::pair<file_descriptor, file_descriptor>> make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return failure{errc::io_error,
                       fmt::format("cannot make a pipe: {}: raise the limit on open files", std::strerror(errno))};
    return std::pair(file_descriptor(ends[0]), file_descriptor(ends[1]));
}

void make_non_blocking(const file_descriptor& ours) { fcntl(ours.get(), F_SETFL, O_NONBLOCK); }

}  // namespace

// Pipes, not sockets: /dev/stdout can be opened then. Only our ends do not block.
result<fresh_pipes> make_pipes(bool with_stdin) {
    fresh_pipes made;
    auto out = make_pipe();
    auto err = make_pipe();
    if (!out || !err) return out ? err.error() : out.error();
    std::tie(made.ours.out, made.theirs[1]) = std::move(*out);
    std::tie(made.ours.err, made.theirs[2]) = std::move(*err);
    if (with_stdin) {
        auto in = make_pipe();
        if (!in) return in.error();
        std::tie(made.theirs[0], made.ours.in) = std::move(*in);
        make_non_blocking(made.ours.in);
    } else {
        made.theirs[0].reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    make_non_blocking(made.ours.out);
    make_non_blocking(made.ours.err);
    return made;
}

running_command::running_command(executor ex, command_pipes pipes, command_fsm machine, command_listener listener)
    : machine_(std::move(machine)),
      listener_(std::move(listener)),
      out_(ex, command_stream::out),
      err_(ex, command_stream::err),
      in_(ex),
      timer_(std::move(ex)) {
    out_.end.assign(pipes.out.release());
    err_.end.assign(pipes.err.release());
    if (pipes.in) in_.assign(pipes.in.release());
}

void running_command::start() {
    arm_timer();
    wait_to_read(out_);
    wait_to_read(err_);
}

void running_command::wait_to_read(pipe& from) {
    from.end.async_wait(asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this(), &from](boost::system::error_code ec) {
                            if (!ec && !self->closed_) self->read(from);
                        });
}

// One piece a turn, so that a flood leaves the thread to others.
void running_command::read(pipe& from) {
    auto self = shared_from_this();
    std::array<char, piece_bytes> buffer;
    const auto size = ::read(from.end.native_handle(), buffer.data(), buffer.size());
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return wait_to_read(from);
    if (size <= 0) return finish(from);
    auto text = from.decoder.decode({buffer.data(), static_cast<std::size_t>(size)});
    if (!text.empty()) listener_.output(from.which, std::move(text));
    if (!closed_) wait_to_read(from);
}

void running_command::finish(pipe& from) {
    auto rest = from.decoder.finish();
    if (!rest.empty()) listener_.output(from.which, std::move(rest));
    from.end.close();
    apply(machine_.at_end_of(from.which));
    if (!closed_ && !out_.end.is_open() && !err_.end.is_open()) listener_.silent();
}

void running_command::exited(kernels::program_end how) {
    if (closed_) return;
    apply(machine_.exited(how.status, how.box_ended, std::chrono::steady_clock::now()));
}

void running_command::kernel_ended(cell_reason why) {
    if (!closed_) apply(machine_.kernel_ended(why));
}

bool running_command::signal(int number) {
    if (closed_) return false;
    auto actions = machine_.asked_to_signal(number);
    apply(actions);
    return !actions.empty();
}

result<void> running_command::write(std::string data, bool eof) {
    if (!in_.is_open() || input_ends_)
        return failure{errc::conflict, "the command's stdin is closed: start it with \"stdin\": true to write to it"};
    const auto waiting = input_.size() - input_at_;
    if (waiting > 0 && waiting + data.size() > most_waiting_input)
        return failure{errc::limit_reached,
                       fmt::format("{} bytes of stdin wait for the command to read them, and {} would be over {}: wait",
                                   waiting, data.size(), most_waiting_input)};
    input_.erase(0, std::exchange(input_at_, 0));
    input_ += data;
    input_ends_ = eof;
    flush_input();
    return {};
}

void running_command::flush_input() {
    if (writing_) return;
    while (input_at_ < input_.size()) {
        const auto size = ::write(in_.native_handle(), input_.data() + input_at_, input_.size() - input_at_);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && errno == EAGAIN) return wait_to_write();
        if (size < 0) break;  // nobody reads any more
        input_at_ += static_cast<std::size_t>(size);
    }
    const bool nobody_reads = input_at_ < input_.size();
    input_.clear();
    input_at_ = 0;
    if (input_ends_ || nobody_reads) in_.close();
}

void running_command::wait_to_write() {
    writing_ = true;
    in_.async_wait(asio::posix::stream_descriptor::wait_write,
                   [self = shared_from_this()](boost::system::error_code ec) {
                       self->writing_ = false;
                       if (!ec && !self->closed_ && self->in_.is_open()) self->flush_input();
                   });
}

void running_command::apply(const command_fsm::actions& actions) {
    auto self = shared_from_this();
    for (const auto& each : actions) {
        if (closed_) return;
        if (const auto* signal = std::get_if<command_signal>(&each)) listener_.signal(signal->number, signal->sweep);
        if (const auto* outcome = std::get_if<command_outcome>(&each)) {
            boost::system::error_code ignored;
            if (in_.is_open()) in_.close(ignored);
            listener_.ended(*outcome);
        }
    }
    if (!closed_) arm_timer();
}

void running_command::arm_timer() {
    const auto when = machine_.next_wakeup();
    if (!when) {
        timer_.cancel();
        return;
    }
    timer_.expires_at(*when);
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
        auto self = weak.lock();
        if (!ec && self && !self->closed_) self->apply(self->machine_.on_time(std::chrono::steady_clock::now()));
    });
}

void running_command::close() {
    if (std::exchange(closed_, true)) return;
    timer_.cancel();
    boost::system::error_code ignored;
    for (auto* each : {&out_.end, &err_.end, &in_})
        if (each->is_open()) each->close(ignored);
}

}  // namespace gateway::sessions
