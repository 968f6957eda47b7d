// What every reader must see, whatever the order of events: each seq once, in order, in a message or in a gap, and all
// of the text that is not in a gap.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "gateway/sessions/output_log.hpp"
#include "tests/gateway/sessions/log_fixture.hpp"

namespace gateway::sessions {
namespace {

std::string text_of(const entry& from) {
    return nlohmann::json::parse(from.message->content).at("text").get<std::string>();
}

// Reads at random speeds with random sizes, and checks as it goes. The n-th entry's text is "n;" and padding.
class checking_reader {
  public:
    checking_reader(output_log& log, std::uint64_t after) : reader_(log.open(after)), next_(after + 1) {}

    cursor& place() { return *reader_; }
    std::uint64_t next() const { return next_; }
    std::uint64_t missing() const { return missing_; }

    void take(const entries& read) {
        for (const auto& each : read) {
            if (each->kind == entry_kind::gap) {
                ASSERT_EQ(each->gap_from, next_);
                missing_ += each->seq - each->gap_from + 1;
            } else {
                ASSERT_EQ(each->first_seq, next_);
                expect_text(*each);
            }
            next_ = each->seq + 1;
        }
    }

  private:
    static void expect_text(const entry& from) {
        auto text = text_of(from);
        std::size_t at = 0;
        for (auto seq = from.first_seq; seq <= from.seq; ++seq) {
            auto expected = std::to_string(seq) + ";";
            ASSERT_EQ(text.substr(at, expected.size()), expected);
            at = text.find_first_not_of('.', at + expected.size());
        }
        ASSERT_EQ(at, std::string::npos);
    }

    std::unique_ptr<cursor> reader_;
    std::uint64_t next_;
    std::uint64_t missing_ = 0;
};

class output_log_property_test : public log_fixture, public testing::WithParamInterface<unsigned> {
  protected:
    std::size_t random(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(dice); }

    void append_some() {
        for (auto count = random(30); count > 0; --count) {
            auto text = std::to_string(log->last_seq() + 1) + ";" + std::string(random(300), '.');
            log->append(stream_entry(text, random(3) == 0 ? "p" : "q"));
        }
    }

    void read_some(checking_reader& with) {
        if (with.place().position() == log->last_seq()) return;
        auto reading = start(with.place().next(random(20'000) + 1, random(1) * 5));
        if (random(5) == 0) reading.cancel();
        if (random(5) == 0) append_some();
        if (random(9) == 0) with.place().wake();
        with.take(reading.get());
        if (random(3) > 0) with.place().release(with.place().position());
        with.place().hold(random(9) > 0);
    }

    std::mt19937 dice{GetParam()};
};

TEST_P(output_log_property_test, gives_every_reader_every_seq_once_and_in_order) {
    log_limits limits;
    limits.memory_bytes = 2'000 + random(60'000);
    limits.read_keep_bytes = random(10'000);
    limits.disk_bytes = 20'000 + random(600'000);
    make_log(limits);
    std::vector<std::unique_ptr<checking_reader>> readers;
    for (int step = 0; step < 200; ++step) {
        append_some();
        if (step % 50 == 0) readers.push_back(std::make_unique<checking_reader>(*log, random(1) * log->last_seq()));
        for (auto& each : readers)
            if (random(2) == 0) read_some(*each);
        if (random(3) == 0) poll();
        ASSERT_LE(log->disk_bytes(), limits.disk_bytes);
        ASSERT_LE(log->memory_bytes(), 2 * limits.memory_bytes + limits.read_keep_bytes + 2'000);
    }
    for (auto& each : readers) {
        while (each->next() <= log->last_seq()) read_some(*each);
        EXPECT_EQ(each->next(), log->last_seq() + 1);
        EXPECT_LE(each->missing(), log->dropped_entries());
    }
    settle();
    EXPECT_EQ(expect_complete(read_all(), log->last_seq()), log->dropped_entries());
}

INSTANTIATE_TEST_SUITE_P(seeds, output_log_property_test, testing::Range(1u, 9u));

class output_log_volume_test : public log_fixture {};

TEST_F(output_log_volume_test, brings_200000_lines_to_a_fast_and_a_slow_reader) {
    log_limits limits;
    limits.memory_bytes = 4u << 20;
    make_log(limits);
    auto fast = log->open(0);
    checking_reader slow(*log, 0);
    std::uint64_t fast_seq = 0;
    std::size_t slow_messages = 0;
    for (int line = 1; line <= 200'000; ++line) {
        log->append(stream_entry(std::to_string(line) + ";"));
        if (line % 500 == 0) {
            for (const auto& each : run(fast->next(4u << 20, 0))) ASSERT_EQ(each->seq, ++fast_seq);
            fast->release(fast_seq);
        }
        if (line % 20'000 == 0) slow.take(run(slow.place().next(1u << 20)));
    }
    while (slow.next() <= log->last_seq()) {
        auto some = run(slow.place().next(1u << 20));
        slow_messages += some.size();
        slow.take(some);
        slow.place().release(slow.place().position());
    }
    EXPECT_EQ(fast_seq, 200'000u);
    EXPECT_EQ(slow.missing(), 0u);
    EXPECT_LE(slow_messages, 2'000u);
    EXPECT_EQ(log->dropped_entries(), 0u);
}

}  // namespace
}  // namespace gateway::sessions
