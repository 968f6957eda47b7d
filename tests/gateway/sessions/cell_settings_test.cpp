#include "gateway/sessions/cell_settings.hpp"

#include <gtest/gtest.h>

#include "gateway/sessions/cell.hpp"

namespace gateway::sessions {
namespace {

using mode = correction_mode;

TEST(cell_settings, follow_who_sends_the_cell_when_the_session_says_nothing) {
    EXPECT_EQ(choose_settings({}, origin::agent, {}), (cell_settings{mode::on, true}));
    EXPECT_EQ(choose_settings({}, origin::jupyter, {}), (cell_settings{mode::report, false}));
    cell_rules strict{{mode::report, false}, {mode::off, false}};
    EXPECT_EQ(choose_settings(strict, origin::agent, {}).error_correction, mode::report);
    EXPECT_EQ(choose_settings(strict, origin::jupyter, {}).error_correction, mode::off);
}

TEST(cell_settings, of_agents_are_the_sessions_own) {
    cell_rules off{{mode::off, true}, {mode::off, false}};
    for (auto own : {mode::off, mode::report, mode::on})
        EXPECT_EQ(choose_settings(off, origin::agent, {own, {}}), (cell_settings{own, true}));
    for (auto own : {false, true})
        EXPECT_EQ(choose_settings(off, origin::agent, {{}, own}), (cell_settings{mode::off, own}));
}

TEST(cell_settings, of_people_are_never_more_than_the_sessions_own) {
    EXPECT_EQ(choose_settings({}, origin::jupyter, {mode::off, {}}).error_correction, mode::off);
    EXPECT_EQ(choose_settings({}, origin::jupyter, {mode::report, {}}).error_correction, mode::report);
    EXPECT_EQ(choose_settings({}, origin::jupyter, {mode::on, {}}).error_correction, mode::report);
    EXPECT_FALSE(choose_settings({}, origin::jupyter, {{}, true}).install);
    cell_rules all_on{{}, {mode::on, true}};
    EXPECT_TRUE(choose_settings(all_on, origin::jupyter, {{}, true}).install);
    EXPECT_FALSE(choose_settings(all_on, origin::jupyter, {{}, false}).install);
    EXPECT_EQ(choose_settings(all_on, origin::jupyter, {mode::report, {}}).error_correction, mode::report);
}

TEST(cell_settings, are_those_that_are_asked_for_and_otherwise_stay) {
    EXPECT_EQ(replaced({mode::report, true}, {}), (cell_settings{mode::report, true}));
    EXPECT_EQ(replaced({mode::report, true}, {mode::off, false}), (cell_settings{mode::off, false}));
    EXPECT_EQ(replaced({mode::off, false}, {{}, true}), (cell_settings{mode::off, true}));
}

TEST(cell_settings, are_told_to_the_kernel_as_json) {
    EXPECT_EQ(to_json(cell_settings{}), R"({"error_correction":true,"install":true})");
    EXPECT_EQ(to_json(cell_rules{}.jupyter), R"({"error_correction":"report","install":false})");
    EXPECT_EQ(to_json(cell_settings{mode::off, false}), R"({"error_correction":false,"install":false})");
}

TEST(correction_mode, is_read_as_it_is_written) {
    for (auto each : {mode::off, mode::report, mode::on}) EXPECT_EQ(parse_correction_mode(to_json(each)), each);
    for (const char* wrong : {"", "1", "null", "report", "\"on\"", "True"})
        EXPECT_FALSE(parse_correction_mode(wrong)) << wrong;
}

}  // namespace
}  // namespace gateway::sessions
