#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <future>

#include "gateway/sessions/output_log.hpp"
#include "tests/gateway/sessions/log_fixture.hpp"

namespace gateway::sessions {
namespace {

constexpr log_limits small = {.memory_bytes = 64u << 10, .read_keep_bytes = 8u << 10, .disk_bytes = 256u << 10};

class output_log_disk_test : public log_fixture {};

TEST_F(output_log_disk_test, keeps_little_in_memory_when_nobody_holds_it) {
    make_log(small);
    append_lines(100);
    settle();
    EXPECT_LE(log->memory_bytes(), small.read_keep_bytes);
    EXPECT_GT(log->disk_bytes(), 0u);
    EXPECT_EQ(expect_complete(read_all(), 100), 0u);
}

TEST_F(output_log_disk_test, keeps_in_memory_what_a_holding_reader_has_not_released) {
    make_log(small);
    auto reader = log->open(0);
    append_lines(60);
    settle();
    EXPECT_EQ(log->disk_bytes(), 0u);
    EXPECT_EQ(run(reader->next(1u << 20, 0)).size(), 60u);
    EXPECT_EQ(log->disk_bytes(), 0u);
    reader->release(60);
    settle();
    EXPECT_GT(log->disk_bytes(), 0u);
    EXPECT_LE(log->memory_bytes(), small.read_keep_bytes);
}

TEST_F(output_log_disk_test, keeps_nothing_for_a_reader_that_stops_holding_or_goes) {
    make_log(small);
    auto first = log->open(0);
    auto second = log->open(0);
    append_lines(60);
    first->hold(false);
    settle();
    EXPECT_EQ(log->disk_bytes(), 0u);
    second.reset();
    settle();
    EXPECT_GT(log->disk_bytes(), 0u);
    entries all;
    while (first->position() < 60) {
        auto some = run(first->next(1u << 20, 0));
        all.insert(all.end(), some.begin(), some.end());
    }
    EXPECT_EQ(expect_complete(all, 60), 0u);
}

TEST_F(output_log_disk_test, keeps_nothing_for_a_reader_that_wants_nothing_of_it) {
    make_log(small);
    auto reader = log->open(0);
    reader->set_filter([](const entry& each) { return each.type == "wanted"; });
    auto waiting = start(reader->next(1000));
    poll();
    append_lines(20);
    log->append(event_entry("wanted"));
    EXPECT_EQ(waiting.get().size(), 1u);
    auto again = start(reader->next(1000));
    append_lines(60);
    poll();
    EXPECT_EQ(log->disk_bytes(), 0u) << "what was given is not released yet";
    reader->release(21);
    reader->wake();
    again.get();
    settle();
    EXPECT_GT(log->disk_bytes(), 0u);
}

TEST_F(output_log_disk_test, spills_the_oldest_when_a_reader_lags_past_the_memory_limit) {
    make_log(small);
    auto reader = log->open(0);
    append_lines(300);
    settle();
    EXPECT_LE(log->memory_bytes(), small.memory_bytes);
    entries all;
    while (reader->position() < log->last_seq()) {
        auto some = run(reader->next(5000, 0));
        all.insert(all.end(), some.begin(), some.end());
    }
    EXPECT_EQ(expect_complete(all, 300), 0u);
}

TEST_F(output_log_disk_test, writes_at_once_when_the_pool_does_not_come_to_it) {
    // Both threads of the pool wait for the end of the test.
    std::promise<void> end;
    auto ended = end.get_future().share();
    for (int thread = 0; thread < 2; ++thread) asio::post(pool, [ended] { ended.wait(); });
    auto limits = small;
    limits.disk_bytes = 16u << 20;
    make_log(limits);
    append_lines(2000);
    EXPECT_LE(log->memory_bytes(), 2 * limits.memory_bytes + (1u << 10));
    end.set_value();
    settle();
    EXPECT_EQ(expect_complete(read_all(), 2000), 0u);
}

TEST_F(output_log_disk_test, tells_of_one_gap_where_the_oldest_had_to_go) {
    make_log(small);
    append_lines(3000);
    settle();
    EXPECT_LE(log->disk_bytes(), small.disk_bytes);
    auto all = read_all();
    ASSERT_EQ(all.front()->kind, entry_kind::gap);
    EXPECT_EQ(all.front()->seq + 1, log->first_seq());
    EXPECT_EQ(expect_complete(all, 3000), log->dropped_entries());
    EXPECT_GT(log->dropped_entries(), 0u);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto& each) { return each->kind == entry_kind::gap; }), 1);
}

TEST_F(output_log_disk_test, gives_a_gap_also_to_a_reader_that_filters) {
    make_log(small);
    append_lines(3000);
    settle();
    auto reader = log->open(0);
    reader->set_filter([](const entry&) { return false; });
    auto got = run(reader->next(1000));
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0]->kind, entry_kind::gap);
    EXPECT_EQ(got[0]->gap_from, 1u);
}

TEST_F(output_log_disk_test, keeps_an_entry_that_is_larger_than_the_disk_limit_while_it_is_the_newest) {
    make_log(small);
    append_lines(100);
    settle();
    log->append(event_entry("large", 300u << 10));
    settle();
    auto all = read_all();
    EXPECT_EQ(all.back()->type, "large");
    EXPECT_EQ(expect_complete(all, 101), log->dropped_entries());
    append_lines(30);
    settle();
    EXPECT_LE(log->disk_bytes(), small.disk_bytes);
    EXPECT_EQ(expect_complete(read_all(), 131), log->dropped_entries());
}

TEST_F(output_log_disk_test, loses_what_does_not_fit_in_memory_when_it_may_use_no_disk) {
    auto limits = small;
    limits.disk_bytes = 0;
    make_log(limits);
    append_lines(300);
    settle();
    EXPECT_EQ(files(), 0u);
    EXPECT_LE(log->memory_bytes(), limits.memory_bytes);
    EXPECT_EQ(expect_complete(read_all(), 300), log->dropped_entries());
    EXPECT_GT(log->dropped_entries(), 0u);
}

TEST_F(output_log_disk_test, keeps_entries_while_memory_has_room_for_a_disk_that_refuses) {
    std::filesystem::remove(directory);
    make_log(small);
    append_lines(60);
    settle();
    EXPECT_EQ(log->dropped_entries(), 0u);
    std::filesystem::create_directory(directory);
    append_lines(60);
    settle();
    EXPECT_GT(log->disk_bytes(), 0u);
    EXPECT_EQ(expect_complete(read_all(), 120), 0u);
}

TEST_F(output_log_disk_test, makes_a_gap_of_what_a_failing_disk_does_not_take_and_recovers) {
    std::filesystem::remove(directory);
    make_log(small);
    append_lines(300);
    settle();
    EXPECT_LE(log->memory_bytes(), small.memory_bytes);
    auto lost = log->dropped_entries();
    EXPECT_GT(lost, 0u);
    std::filesystem::create_directory(directory);
    append_lines(100);
    settle();
    EXPECT_EQ(log->dropped_entries(), lost);
    EXPECT_EQ(expect_complete(read_all(), 400), lost);
}

// A limit on the size of a file makes write() fail in the middle of a batch, as a full disk does.
class full_disk {
  public:
    full_disk() {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        previous_ = std::signal(SIGXFSZ, SIG_IGN);
        rlimit tight{2500, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &tight);
    }
    ~full_disk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, previous_);
    }

  private:
    rlimit before_{};
    void (*previous_)(int) = nullptr;
};

TEST_F(output_log_disk_test, reads_no_half_record_that_a_full_disk_left) {
    make_log(small);
    std::uint64_t lost = 0;
    {
        full_disk full;
        append_lines(300);
        settle();
        lost = log->dropped_entries();
        EXPECT_GT(lost, 0u);
    }
    append_lines(300);
    settle();
    EXPECT_EQ(expect_complete(read_all(), 600), log->dropped_entries());
    EXPECT_EQ(log->dropped_entries(), lost);
}

TEST_F(output_log_disk_test, tells_of_a_gap_where_a_segment_file_is_damaged) {
    make_log(small);
    append_lines(200);
    settle();
    auto damaged = *std::filesystem::directory_iterator(directory);
    std::filesystem::resize_file(damaged, 1000);
    auto missing = expect_complete(read_all(), 200);
    EXPECT_GT(missing, 0u);
    EXPECT_EQ(missing, log->dropped_entries());
}

TEST_F(output_log_disk_test, is_read_to_its_end_from_disk_and_memory_when_it_is_ended) {
    make_log(small);
    auto reader = log->open(0);
    reader->hold(false);
    append_lines(100);
    settle();
    EXPECT_GT(log->disk_bytes(), 0u);
    log->end();
    log->append(event_entry("too late"));
    entries all;
    for (;;) {
        auto some = run(reader->next(1u << 14, 0));
        if (some.empty()) break;
        all.insert(all.end(), some.begin(), some.end());
    }
    EXPECT_EQ(expect_complete(all, 100), 0u);
    EXPECT_TRUE(reader->closed());
    EXPECT_EQ(expect_complete(read_all(), 100), 0u);
}

TEST_F(output_log_disk_test, leaves_no_file_behind_when_it_is_closed) {
    make_log(small);
    append_lines(1000);
    EXPECT_GT(files(), 0u);
    log->close();
    EXPECT_EQ(files(), 0u);
    settle();
    EXPECT_EQ(files(), 0u);
    EXPECT_EQ(budget.memory_bytes(), 0u);
    EXPECT_EQ(budget.disk_bytes(), 0u);
}

TEST_F(output_log_disk_test, consumes_nothing_when_a_reader_is_cancelled_during_a_read_from_disk) {
    make_log(small);
    append_lines(200);
    settle();
    auto reader = log->open(0);
    for (int at = 0; at < 20; ++at) {
        auto reading = start(reader->next(2000, 0));
        for (int step = 0; step < at % 4; ++step) {
            io.restart();
            io.poll_one();
        }
        reading.cancel();
        auto consumed = !reading.get().empty();
        EXPECT_EQ(reader->position() != 0, consumed);
        reader->seek(0);
    }
    EXPECT_EQ(seqs(run(reader->next(1, 0))), std::vector<std::uint64_t>{1});
}

TEST_F(output_log_disk_test, reads_a_large_log_from_the_start_in_pieces_of_about_the_size_asked_for) {
    auto limits = small;
    limits.disk_bytes = 1u << 30;
    make_log(limits);
    append_lines(20'000, 1000);
    settle();
    auto reader = log->open(0);
    reader->hold(false);
    std::uint64_t next = 1;
    while (reader->position() < log->last_seq()) {
        std::size_t bytes = 0;
        for (const auto& each : run(reader->next(256u << 10, 0))) {
            ASSERT_EQ(each->seq, next++);
            bytes += each->size();
        }
        EXPECT_LE(bytes, 256u << 10);
    }
    EXPECT_EQ(next, 20'001u);
}

}  // namespace
}  // namespace gateway::sessions
