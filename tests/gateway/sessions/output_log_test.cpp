#include "gateway/sessions/output_log.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/sessions/log_fixture.hpp"

namespace gateway::sessions {
namespace {

using numbers = std::vector<std::uint64_t>;

class output_log_test : public log_fixture {};

TEST_F(output_log_test, numbers_entries_from_one_without_a_hole) {
    make_log();
    EXPECT_EQ(log->last_seq(), 0u);
    EXPECT_EQ(log->first_seq(), 1u);
    EXPECT_EQ(log->append(event_entry("a")), 1u);
    EXPECT_EQ(log->append(event_entry("b")), 2u);
    EXPECT_EQ(log->last_seq(), 2u);
    EXPECT_EQ(log->first_seq(), 1u);
}

TEST_F(output_log_test, goes_on_above_an_earlier_logs_seq_and_tells_a_gap_of_what_was_there) {
    make_log({}, 1000);
    EXPECT_EQ(log->first_seq(), 1001u);
    auto reader = log->open(17);
    auto gap = run(reader->next(1000));
    ASSERT_EQ(gap.size(), 1u);
    EXPECT_EQ(gap[0]->kind, entry_kind::gap);
    EXPECT_EQ(gap[0]->gap_from, 18u);
    EXPECT_EQ(gap[0]->seq, 1000u);
    EXPECT_EQ(log->append(event_entry("a")), 1001u);
    EXPECT_EQ(seqs(run(reader->next(1000))), numbers{1001});
}

TEST_F(output_log_test, gives_a_reader_what_was_there_and_what_comes) {
    make_log().append(event_entry("a"));
    auto reader = log->open(0);
    EXPECT_EQ(seqs(run(reader->next(1000))), numbers{1});
    auto waiting = start(reader->next(1000));
    poll();
    EXPECT_FALSE(waiting.done());
    log->append(event_entry("b"));
    EXPECT_EQ(seqs(waiting.get()), numbers{2});
    EXPECT_EQ(reader->position(), 2u);
}

TEST_F(output_log_test, gathers_stream_text_at_a_clients_pace_until_something_else_comes) {
    make_log();
    auto reader = log->open(0);
    stream_pace pace;
    append_lines(1, 1'000'000);
    EXPECT_EQ(run(reader->next(1u << 20, 64, pace)).size(), 1u);
    append_lines(1);
    auto waiting = start(reader->next(1u << 20, 64, pace));
    poll();
    append_lines(1);
    poll();
    EXPECT_FALSE(waiting.done());
    log->append(event_entry("finished"));
    auto got = waiting.get();
    EXPECT_EQ(seqs(got), (numbers{3, 4}));
    EXPECT_EQ(got[0]->first_seq, 2u);
}

TEST_F(output_log_test, gathered_stream_text_comes_without_anything_else_too) {
    make_log();
    auto reader = log->open(0);
    stream_pace pace;
    append_lines(1, 1'000'000);
    run(reader->next(1u << 20, 64, pace));
    append_lines(1);
    EXPECT_EQ(seqs(run(reader->next(1u << 20, 64, pace))), numbers{2});
    auto waiting = start(reader->next(1u << 20, 64, pace));
    append_lines(1);
    poll();
    log->close();
    EXPECT_LE(waiting.get().size(), 1u);
}

TEST_F(output_log_test, never_takes_from_one_reader_for_another) {
    make_log();
    append_lines(10);
    auto first = log->open(0);
    auto second = log->open(4);
    EXPECT_EQ(run(first->next(1u << 20)).size(), 10u);
    EXPECT_EQ(seqs(run(second->next(1u << 20))), (numbers{5, 6, 7, 8, 9, 10}));
}

TEST_F(output_log_test, answers_about_max_bytes_but_always_one) {
    make_log();
    append_lines(10, 1000);
    auto reader = log->open(0);
    EXPECT_EQ(run(reader->next(1)).size(), 1u);
    auto some = run(reader->next(4000));
    EXPECT_GE(some.size(), 2u);
    EXPECT_LE(some.size(), 4u);
}

TEST_F(output_log_test, moves_a_filtering_reader_past_what_it_does_not_want) {
    make_log();
    auto reader = log->open(0);
    reader->set_filter([](const entry& each) { return each.type == "wanted"; });
    auto waiting = start(reader->next(1000));
    append_lines(5);
    poll();
    EXPECT_FALSE(waiting.done());
    EXPECT_EQ(reader->position(), 5u);
    log->append(event_entry("wanted"));
    EXPECT_EQ(seqs(waiting.get()), numbers{6});
}

TEST_F(output_log_test, merges_only_for_a_reader_that_lags) {
    make_log();
    append_lines(10);
    auto reader = log->open(0);
    EXPECT_EQ(run(reader->next(1u << 20, 11)).size(), 10u);
    reader->seek(0);
    auto merged = run(reader->next(1u << 20, 10));
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_EQ(merged[0]->first_seq, 1u);
    EXPECT_EQ(merged[0]->seq, 10u);
    reader->seek(0);
    EXPECT_EQ(run(reader->next(1u << 20, 0)).size(), 10u);
}

TEST_F(output_log_test, never_merges_over_a_readers_position) {
    make_log();
    append_lines(10);
    auto reader = log->open(3);
    auto merged = run(reader->next(1u << 20, 1));
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_EQ(merged[0]->first_seq, 4u);
}

TEST_F(output_log_test, wakes_only_a_reader_that_waits_now) {
    make_log();
    auto reader = log->open(0);
    reader->wake();
    auto waiting = start(reader->next(1000));
    poll();
    ASSERT_FALSE(waiting.done());
    reader->wake();
    EXPECT_TRUE(waiting.get().empty());
    log->append(event_entry("a"));
    EXPECT_EQ(run(reader->next(1000)).size(), 1u);
}

TEST_F(output_log_test, leaves_other_readers_waiting_when_one_is_woken) {
    make_log();
    auto first = log->open(0);
    auto second = log->open(0);
    auto one = start(first->next(1000));
    auto two = start(second->next(1000));
    poll();
    first->wake();
    EXPECT_TRUE(one.get().empty());
    EXPECT_FALSE(two.done());
    log->append(event_entry("a"));
    EXPECT_EQ(two.get().size(), 1u);
}

TEST_F(output_log_test, consumes_nothing_when_the_reader_is_cancelled) {
    make_log();
    auto reader = log->open(0);
    auto waiting = start(reader->next(1000));
    poll();
    waiting.cancel();
    EXPECT_TRUE(waiting.get().empty());
    log->append(event_entry("a"));
    EXPECT_EQ(seqs(run(reader->next(1000))), numbers{1});
}

TEST_F(output_log_test, ends_a_waiting_reader_when_it_is_closed) {
    make_log();
    auto reader = log->open(0);
    auto waiting = start(reader->next(1000));
    poll();
    log->close();
    EXPECT_TRUE(waiting.get().empty());
    EXPECT_TRUE(reader->closed());
    EXPECT_TRUE(run(reader->next(1000)).empty());
}

TEST_F(output_log_test, lets_a_reader_finish_what_was_in_memory_when_it_is_closed) {
    make_log();
    auto reader = log->open(0);
    append_lines(3);
    log->append(event_entry("kernel_status"));
    log->close();
    EXPECT_EQ(log->append(event_entry("too late")), 5u);
    EXPECT_EQ(seqs(run(reader->next(1u << 20))), (numbers{1, 2, 3, 4}));
}

TEST_F(output_log_test, outlives_its_owner_for_a_reader_that_still_waits) {
    make_log();
    auto reader = log->open(0);
    auto waiting = start(reader->next(1000));
    poll();
    log.reset();
    EXPECT_TRUE(waiting.get().empty());
}

TEST_F(output_log_test, starts_a_reader_from_beyond_the_end_at_the_end) {
    make_log().append(event_entry("a"));
    EXPECT_EQ(log->open(99)->position(), 1u);
}

TEST_F(output_log_test, reads_a_range_without_waiting) {
    make_log();
    append_lines(10);
    EXPECT_EQ(seqs(run(log->read(2, 5, 1u << 20))), (numbers{3, 4, 5}));
    EXPECT_EQ(seqs(run(log->read(8, 99, 1u << 20))), (numbers{9, 10}));
    EXPECT_TRUE(run(log->read(10, 99, 1u << 20)).empty());
    EXPECT_TRUE(run(log->read(5, 5, 1u << 20)).empty());
}

}  // namespace
}  // namespace gateway::sessions
