// Verbs for tests of the output log: appending lines, running coroutines to their end, reading everything.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/sessions/output_log.hpp"

namespace gateway::sessions {

inline messaging::shared_message stream_message(const std::string& escaped_text, const std::string& name = "stdout") {
    messaging::message made;
    made.where = messaging::channel::iopub;
    made.header = R"({"msg_id":"m","msg_type":"stream"})";
    made.content = R"({"name":")" + name + R"(","text":")" + escaped_text + R"("})";
    return std::make_shared<const messaging::message>(std::move(made));
}

inline entry stream_entry(const std::string& escaped_text, const std::string& parent = "p") {
    entry made;
    made.type = "stream";
    made.parent = parent;
    made.cell_id = "cell_" + parent;
    made.message = stream_message(escaped_text);
    return made;
}

inline entry event_entry(const std::string& type, std::size_t padding = 0) {
    entry made;
    made.kind = entry_kind::event;
    made.type = type;
    made.body = R"({"pad":")" + std::string(padding, 'x') + "\"}";
    return made;
}

using entries = std::vector<shared_entry>;

inline std::vector<std::uint64_t> seqs(const entries& of) {
    std::vector<std::uint64_t> all;
    for (const auto& each : of) all.push_back(each->seq);
    return all;
}

// One coroutine under way.
template <class T>
class running {
  public:
    running(asio::io_context& io, awaitable<T> what) : io_(io), state_(std::make_shared<state>()) {
        auto finished = [kept = state_](std::exception_ptr error, T value) {
            if (error) std::rethrow_exception(error);
            kept->value = std::move(value);
        };
        asio::co_spawn(io, std::move(what), asio::bind_cancellation_slot(state_->signal.slot(), std::move(finished)));
    }

    bool done() const { return state_->value.has_value(); }
    // From within the io thread, as everything that cancels does.
    void cancel() {
        asio::post(io_, [kept = state_] { kept->signal.emit(asio::cancellation_type::all); });
    }
    T get() {
        auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        io_.restart();
        while (!done() && std::chrono::steady_clock::now() < deadline)
            if (io_.run_one_until(deadline) == 0) io_.restart();
        if (!done()) throw std::runtime_error("a coroutine did not end within 30 s");
        return std::move(*state_->value);
    }

  private:
    struct state {
        std::optional<T> value;
        asio::cancellation_signal signal;
    };
    asio::io_context& io_;
    std::shared_ptr<state> state_;
};

class log_fixture : public testing::Test {
  protected:
    log_fixture() {
        std::string pattern = (std::filesystem::temp_directory_path() / "cellgate-log-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
        directory = pattern;
    }
    ~log_fixture() override {
        log.reset();
        settle();
        std::filesystem::remove_all(directory);
    }

    output_log& make_log(log_limits limits = {}, std::uint64_t last_seq = 0) {
        log = std::make_unique<output_log>(io.get_executor(), pool, budget, limits, directory, last_seq);
        return *log;
    }
    void append_lines(std::size_t count, std::size_t padding = 100) {
        for (std::size_t at = 0; at < count; ++at) log->append(stream_entry(std::string(padding, 'a')));
    }
    template <class T>
    running<T> start(awaitable<T> what) {
        return running<T>(io, std::move(what));
    }
    template <class T>
    T run(awaitable<T> what) {
        return start(std::move(what)).get();
    }
    // Runs what is ready, without waiting.
    void poll() {
        io.restart();
        io.poll();
    }
    // Waits for all writes under way; there must be no reader waiting.
    void settle() {
        io.restart();
        io.run_for(std::chrono::seconds(30));
    }
    entries read_all(std::uint64_t after = 0, std::size_t max_bytes = 64u << 10) {
        entries all;
        while (after < log->last_seq()) {
            auto some = run(log->read(after, log->last_seq(), max_bytes));
            if (some.empty()) break;
            after = some.back()->seq;
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
    }

    std::string directory;
    asio::io_context io;
    log_budget budget{512u << 20, 20ull << 30};
    std::unique_ptr<output_log> log;
    asio::thread_pool pool{2};
};

// Every seq of 1…last exactly once and in order, gaps included; the number of entries that gaps stand for.
inline std::uint64_t expect_complete(const entries& read, std::uint64_t last) {
    std::uint64_t next = 1;
    std::uint64_t missing = 0;
    for (const auto& each : read) {
        auto from = each->kind == entry_kind::gap ? each->gap_from : each->first_seq;
        EXPECT_EQ(from, next);
        if (each->kind == entry_kind::gap) missing += each->seq - each->gap_from + 1;
        next = each->seq + 1;
    }
    EXPECT_EQ(next, last + 1);
    return missing;
}

}  // namespace gateway::sessions
