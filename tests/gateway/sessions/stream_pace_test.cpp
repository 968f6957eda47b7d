#include "gateway/sessions/stream_pace.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/sessions/log_fixture.hpp"

namespace gateway::sessions {
namespace {

using namespace std::chrono_literals;

entries text(std::size_t bytes, const std::string& parent = "p") {
    return {std::make_shared<const entry>(stream_entry(std::string(bytes, 'x'), parent))};
}

class stream_pace_test : public testing::Test {
  protected:
    stream_pace pace;
    stream_pace::clock::time_point now = stream_pace::clock::now();
};

TEST_F(stream_pace_test, a_little_goes_at_once) {
    EXPECT_EQ(pace.wait(text(10), now), 0ms);
    pace.sent(text(200'000), now);
    EXPECT_EQ(pace.wait(text(10), now), 0ms);
}

TEST_F(stream_pace_test, after_much_it_waits_for_as_much_again_or_a_while) {
    pace.sent(text(1'000'000), now);
    auto wait = pace.wait(text(10), now);
    EXPECT_GT(wait, 300ms);
    EXPECT_LT(wait, 700ms);
    EXPECT_EQ(pace.wait(text(1'000'100), now), 0ms);
    EXPECT_EQ(pace.wait(text(10), now + wait), 0ms);
    EXPECT_EQ(pace.wait(text(10), now + 1h), 0ms);
}

TEST_F(stream_pace_test, it_never_waits_for_long_nor_for_more_than_a_message_holds) {
    pace.sent(text(100'000'000), now);
    EXPECT_EQ(pace.wait(text(10), now), 4'000ms);
    EXPECT_EQ(pace.wait(text(stream_pace::most_text), now), 0ms);
}

TEST_F(stream_pace_test, whatever_else_comes_takes_it_along) {
    pace.sent(text(1'000'000), now);
    auto both = text(10);
    both.push_back(std::make_shared<const entry>(event_entry("status")));
    EXPECT_EQ(pace.wait(both, now), 0ms);
}

TEST_F(stream_pace_test, another_cell_and_a_cleared_one_begin_anew) {
    pace.sent(text(1'000'000), now);
    EXPECT_EQ(pace.wait(text(10, "other"), now), 0ms);
    pace.sent(text(10, "other"), now);
    EXPECT_EQ(pace.wait(text(10), now), 0ms);

    pace.sent(text(1'000'000), now);
    auto cleared = event_entry("clear_output");
    cleared.kind = entry_kind::message;
    pace.sent({std::make_shared<const entry>(cleared)}, now);
    EXPECT_EQ(pace.wait(text(10), now), 0ms);
}

}  // namespace
}  // namespace gateway::sessions
