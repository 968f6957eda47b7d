#include "gateway/sessions/log_budget.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/sessions/log_fixture.hpp"

namespace gateway::sessions {
namespace {

constexpr log_limits roomy = {.memory_bytes = 1u << 20, .read_keep_bytes = 1u << 20, .disk_bytes = 1u << 20};

// Three logs under one budget.
class log_budget_test : public log_fixture {
  protected:
    void make_logs(std::size_t memory, std::uint64_t disk, log_limits limits = roomy) {
        total.emplace(memory, disk);
        for (int at = 0; at < 3; ++at) {
            auto own = directory + "/" + std::to_string(at);
            std::filesystem::create_directory(own);
            logs.push_back(std::make_unique<output_log>(io.get_executor(), pool, *total, limits, own));
        }
    }
    void fill(std::size_t which, std::size_t lines) {
        for (std::size_t at = 0; at < lines; ++at) logs[which]->append(stream_entry(std::string(100, 'a')));
    }
    ~log_budget_test() override {
        logs.clear();
        settle();
    }

    std::optional<log_budget> total;
    std::vector<std::unique_ptr<output_log>> logs;
};

TEST_F(log_budget_test, counts_what_all_logs_use) {
    make_logs(10u << 20, 10u << 20);
    fill(0, 10);
    fill(1, 20);
    EXPECT_EQ(total->memory_bytes(), logs[0]->memory_bytes() + logs[1]->memory_bytes());
    logs[1]->close();
    EXPECT_EQ(total->memory_bytes(), logs[0]->memory_bytes());
}

TEST_F(log_budget_test, makes_the_log_with_the_most_memory_spill) {
    auto limit = 150 * stream_entry(std::string(100, 'a')).size();
    make_logs(limit, 10u << 20);
    fill(0, 20);
    fill(1, 100);
    fill(2, 50);
    settle();
    EXPECT_LE(total->memory_bytes(), limit);
    EXPECT_EQ(logs[0]->disk_bytes(), 0u);
    EXPECT_GT(logs[1]->disk_bytes(), 0u);
    EXPECT_EQ(logs[2]->disk_bytes(), 0u);
}

TEST_F(log_budget_test, makes_the_log_with_the_most_on_disk_drop_its_oldest) {
    auto limits = roomy;
    limits.read_keep_bytes = 4u << 10;
    make_logs(10u << 20, 100u << 10, limits);
    fill(0, 80);
    fill(1, 800);
    fill(2, 100);
    settle();
    EXPECT_LE(total->disk_bytes(), 100u << 10);
    EXPECT_EQ(logs[0]->dropped_entries(), 0u);
    EXPECT_GT(logs[1]->dropped_entries(), 0u);
    EXPECT_EQ(logs[2]->dropped_entries(), 0u);
    EXPECT_EQ(total->dropped_entries(), logs[1]->dropped_entries());
}

TEST_F(log_budget_test, stays_bounded_when_no_disk_takes_anything) {
    make_logs(100u << 10, 10u << 20);
    for (int at = 0; at < 3; ++at) std::filesystem::remove(directory + "/" + std::to_string(at));
    for (int round = 0; round < 10; ++round) {
        fill(round % 3, 100);
        settle();
        EXPECT_LE(total->memory_bytes(), 100u << 10);
    }
    EXPECT_GT(total->dropped_entries(), 0u);
}

}  // namespace
}  // namespace gateway::sessions
