#include "gateway/api/agent/event_filter.hpp"

#include <gtest/gtest.h>

namespace gateway::api::agent {
namespace {

sessions::entry event(std::uint64_t seq, std::string cell) {
    sessions::entry made;
    made.kind = sessions::entry_kind::event;
    made.seq = seq;
    made.cell_id = std::move(cell);
    return made;
}

// Which of `cells` (seq 1, 2, …: a cell's name each) are told, from `after` on.
std::vector<std::uint64_t> told(const event_filter& filter, const std::vector<std::string>& cells,
                                std::uint64_t after = 0) {
    std::vector<std::uint64_t> seqs;
    for (std::uint64_t seq = after + 1; seq <= cells.size(); ++seq)
        if (filter.wants(event(seq, cells[seq - 1]))) seqs.push_back(seq);
    return seqs;
}

using numbers = std::vector<std::uint64_t>;
const std::vector<std::string> log{"a", "b", "", "a", "b", "a"};

TEST(event_filter, tells_nothing_before_attach_but_the_sockets_own_cells) {
    event_filter filter;
    EXPECT_EQ(told(filter, log), numbers{});
    EXPECT_EQ(filter.own("a", 1, 0), std::nullopt);
    EXPECT_EQ(told(filter, log), (numbers{1, 4, 6}));
}

TEST(event_filter, tells_everything_behind_the_seq_of_attach) {
    event_filter filter;
    filter.attach_after(2);
    EXPECT_EQ(told(filter, log, 2), (numbers{3, 4, 5, 6}));
}

TEST(event_filter, goes_on_with_own_cells_when_it_attaches_from_now) {
    event_filter filter;
    filter.own("a", 1, 0);
    filter.attach_from_now(4);
    EXPECT_EQ(told(filter, log), (numbers{1, 4, 5, 6}));
    filter.attach_from_now(6);
    EXPECT_EQ(told(filter, log), (numbers{1, 4, 5, 6})) << "attached already";
}

TEST(event_filter, goes_back_for_an_earlier_cell_that_is_joined) {
    event_filter filter;
    filter.own("b", 2, 1);
    ASSERT_EQ(filter.own("a", 1, 5), 0u);
    EXPECT_EQ(told(filter, log), (numbers{1, 4, 6})) << "2 and 5 were told";
}

TEST(event_filter, does_not_tell_a_joined_cell_twice_what_attach_told) {
    event_filter filter;
    filter.attach_after(3);
    ASSERT_EQ(filter.own("a", 1, 5), 0u);
    EXPECT_EQ(told(filter, log), (numbers{1, 6})) << "4 and 5 were told";
}

TEST(event_filter, stays_where_it_is_when_the_cell_is_told_anyway) {
    event_filter filter;
    filter.attach_after(0);
    EXPECT_EQ(filter.own("a", 1, 5), std::nullopt);
    event_filter own;
    own.own("a", 1, 0);
    EXPECT_EQ(own.own("a", 1, 5), std::nullopt);
}

}  // namespace
}  // namespace gateway::api::agent
