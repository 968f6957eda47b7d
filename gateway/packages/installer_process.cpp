#include "gateway/packages/installer_process.hpp"

#include <signal.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/tools/child_process.hpp"

namespace gateway::packages {
namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t most_answer_bytes = 4u << 20;
constexpr std::size_t kept_error_bytes = 8u << 10;
constexpr milliseconds end_wait{10'000};

}  // namespace

installer_process::installer_process(executor ex) : ex_(std::move(ex)) {}

installer_process::~installer_process() = default;

void installer_process::kill() {
    killed_ = true;
    if (child_) child_->signal_group(SIGKILL);
}

awaitable<void> installer_process::write(std::string input) {
    (void)co_await asio::async_write(child_->input(), asio::buffer(input), tuple_awaitable);
    boost::system::error_code ignored;
    child_->input().shutdown(asio::socket_base::shutdown_send, ignored);
}

// Nothing but what Python says before the program takes its streams: a traceback.
awaitable<void> installer_process::read_errors() {
    std::string bytes(4096, '\0');
    while (true) {
        auto [ec, count] = co_await child_->errors().async_read_some(asio::buffer(bytes), tuple_awaitable);
        if (ec) co_return;
        errors_.append(bytes, 0, std::min(count, kept_error_bytes - std::min(errors_.size(), kept_error_bytes)));
    }
}

awaitable<result<std::string>> installer_process::run(std::vector<std::string> command,
                                                      std::map<std::string, std::string> env, std::string input) {
    if (killed_) co_return failure{errc::cancelled, "it was ended before it started"};
    auto started = tools::child_process::start(ex_, std::move(command), std::move(env));
    if (!started) co_return started.error();
    child_ = std::move(*started);
    task_group others(ex_);
    others.spawn("input of an installation", write(std::move(input)));
    others.spawn("errors of an installation", read_errors());
    std::string answer;
    std::string bytes(64u << 10, '\0');
    while (answer.size() <= most_answer_bytes) {
        auto [ec, count] = co_await child_->output().async_read_some(asio::buffer(bytes), tuple_awaitable);
        if (ec) break;
        answer.append(bytes, 0, count);
    }
    (void)co_await child_->wait(end_wait);
    child_->signal_group(SIGKILL);  // what it left behind holds its streams open
    co_await others.join();
    if (killed_) co_return failure{errc::cancelled, "it was ended"};
    if (!errors_.empty()) log::error("the installer said: {}", errors_);
    if (answer.empty() || answer.size() > most_answer_bytes || child_->ending() != "exit status 0")
        co_return failure{errc::io_error, "the installer ended without an answer (" + child_->ending() + ")"};
    co_return answer;
}

}  // namespace gateway::packages
