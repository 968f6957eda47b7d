#include "gateway/tools/stdio_transport.hpp"

#include <signal.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/tools/child_process.hpp"
#include "gateway/tools/line_splitter.hpp"
#include "gateway/tools/stderr_log.hpp"

namespace gateway::tools {
namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t read_bytes = 64u << 10;
// What a server that does not read may let pile up here; requests past it fail at once.
constexpr std::size_t max_unsent_bytes = 64u << 20;
// After its stdin was closed, and again after SIGTERM.
constexpr milliseconds polite_wait{2'000};

class stdio_transport final : public transport {
  public:
    stdio_transport(executor ex, stdio_options options)
        : ex_(ex), options_(std::move(options)), tasks_(ex), has_unsent_(ex) {}

    result<void> open(transport_listener& to) override {
        listener_ = &to;
        auto started = child_process::start(ex_, options_.command, options_.env);
        if (!started) return started.error();
        child_ = std::move(*started);
        tasks_.spawn("stdin of " + options_.name, write_unsent());
        tasks_.spawn("stderr of " + options_.name, read_errors());
        return {};
    }

    awaitable<failure> run() override {
        line_splitter lines(options_.max_message_bytes);
        std::string bytes(read_bytes, '\0');
        while (true) {
            auto [ec, count] = co_await child_->output().async_read_some(asio::buffer(bytes), tuple_awaitable);
            if (ec) break;
            for (auto& each : lines.feed(std::string_view(bytes.data(), count))) co_await deliver(std::move(each));
        }
        if (interrupted_) co_return *interrupted_;
        // A program whose stdout ends has usually ended too; how is worth a moment.
        bool ended = co_await child_->wait(milliseconds(500));
        co_return failure{errc::tool_failed, ended ? "it ended (" + child_->ending() + ")" : "it closed its stdout"};
    }

    void interrupt(failure why) override {
        if (!interrupted_) interrupted_ = std::move(why);
        boost::system::error_code ignored;
        if (child_) child_->output().close(ignored);
    }

    awaitable<result<void>> send(std::string message, std::optional<std::uint64_t>, milliseconds) override {
        if (unsent_bytes_ + message.size() > max_unsent_bytes)
            co_return failure{errc::unavailable, "the server does not read what it is sent"};
        unsent_bytes_ += message.size() + 1;
        unsent_.push_back(std::move(message) + "\n");
        has_unsent_.notify_all();
        co_return result<void>{};
    }

    void on_initialized(const std::string&) override {}

    awaitable<void> close(bool at_once) override {
        if (!child_) co_return;
        if (!at_once) co_await end_politely();
        child_->signal_group(SIGKILL);
        co_await child_->wait(polite_wait);
        tasks_.cancel();
        co_await tasks_.join();
        child_.reset();
    }

  private:
    awaitable<void> deliver(line_splitter::line each) {
        if (!each.is_too_long) {
            co_await listener_->on_text(std::move(each.text), std::nullopt);
        } else if (each.too_long_id) {
            listener_->on_lost(*each.too_long_id,
                               {errc::too_large,
                                "the answer is larger than " + std::to_string(options_.max_message_bytes) + " bytes"});
        } else {
            log::warning("toolkit {}: a line of more than {} bytes was dropped", options_.name,
                         options_.max_message_bytes);
        }
    }

    awaitable<void> write_unsent() {
        while (true) {
            while (unsent_.empty()) co_await has_unsent_.wait();
            auto text = std::move(unsent_.front());
            unsent_.pop_front();
            auto [ec, count] = co_await asio::async_write(child_->input(), asio::buffer(text), tuple_awaitable);
            unsent_bytes_ -= text.size();
            if (ec) co_return;  // the end of its stdout follows and tells
        }
    }

    awaitable<void> read_errors() {
        stderr_log lines;
        std::string bytes(4096, '\0');
        while (true) {
            auto [ec, count] = co_await child_->errors().async_read_some(asio::buffer(bytes), tuple_awaitable);
            if (ec) co_return;
            for (const auto& each : lines.feed(std::string_view(bytes.data(), count)))
                log::debug("toolkit {} stderr: {}", options_.name, each);
        }
    }

    // As the specification has it: stdin closed, then SIGTERM, then (by the caller) SIGKILL.
    awaitable<void> end_politely() {
        boost::system::error_code ignored;
        child_->input().shutdown(asio::socket_base::shutdown_send, ignored);
        const bool ended = co_await child_->wait(polite_wait);
        if (ended) co_return;
        child_->signal_group(SIGTERM);
        co_await child_->wait(polite_wait);
    }

    executor ex_;
    stdio_options options_;
    transport_listener* listener_ = nullptr;
    std::unique_ptr<child_process> child_;
    std::optional<failure> interrupted_;
    task_group tasks_;
    event has_unsent_;
    std::deque<std::string> unsent_;
    std::size_t unsent_bytes_ = 0;
};

}  // namespace

std::unique_ptr<transport> make_stdio_transport(executor ex, stdio_options options) {
    return std::make_unique<stdio_transport>(std::move(ex), std::move(options));
}

}  // namespace gateway::tools
