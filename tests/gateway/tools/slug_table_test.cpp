#include "gateway/tools/slug_table.hpp"

#include <gtest/gtest.h>

namespace gateway::tools {
namespace {

tool named(const char* name) { return {name, "", "{}"}; }

std::string name_of(const slug_table& table, const char* slug) {
    auto* found = table.find(slug);
    return found ? found->toolkit + "/" + found->what.name : "";
}

TEST(slug, is_upper_case_with_underscores) {
    EXPECT_EQ(slug_part("get-sum"), "GET_SUM");
    EXPECT_EQ(slug_part("a.b c/\xc3\xa9"), "A_B_C___");
    EXPECT_EQ(normalized_slug("  everything_Echo\n"), "EVERYTHING_ECHO");
    EXPECT_EQ(normalized_slug(" \t "), "");
}

TEST(slug_table, finds_a_tool_by_its_slug) {
    slug_table table;
    EXPECT_TRUE(table.replace("everything", {named("get-sum"), named("echo")}).empty());
    EXPECT_EQ(name_of(table, "EVERYTHING_GET_SUM"), "everything/get-sum");
    EXPECT_EQ(name_of(table, "EVERYTHING_NONE"), "");
}

TEST(slug_table, names_that_collide_get_a_number_and_a_note) {
    slug_table table;
    auto notes = table.replace("T", {named("get-sum"), named("get_sum"), named("GET.SUM")});
    EXPECT_EQ(notes, (std::vector<std::string>{"tool get_sum of T is T_GET_SUM_2: T_GET_SUM is taken",
                                               "tool GET.SUM of T is T_GET_SUM_3: T_GET_SUM is taken"}));
    EXPECT_EQ(name_of(table, "T_GET_SUM"), "T/get-sum");
    EXPECT_EQ(name_of(table, "T_GET_SUM_2"), "T/get_sum");
    EXPECT_EQ(name_of(table, "T_GET_SUM_3"), "T/GET.SUM");
}

TEST(slug_table, toolkits_may_collide_too) {
    slug_table table;
    table.replace("A_B", {named("c")});
    EXPECT_EQ(table.replace("A", {named("b_c")}).size(), 1u);
    EXPECT_EQ(name_of(table, "A_B_C"), "A/b_c");
    EXPECT_EQ(name_of(table, "A_B_C_2"), "A_B/c");
}

TEST(slug_table, a_new_list_replaces_the_old_one) {
    slug_table table;
    table.replace("A", {named("x"), named("y")});
    table.replace("B", {named("x")});
    table.replace("A", {named("z")});
    EXPECT_EQ(name_of(table, "A_X"), "");
    EXPECT_EQ(name_of(table, "A_Z"), "A/z");
    EXPECT_EQ(name_of(table, "B_X"), "B/x");
}

TEST(slug_table, suggests_what_looks_alike) {
    slug_table table;
    table.replace("EVERYTHING", {named("echo"), named("get-sum"), named("get-tiny-image")});
    EXPECT_EQ(table.close_matches("EVERYTHING_GETSUM", 5).front(), "EVERYTHING_GET_SUM");
    EXPECT_EQ(table.close_matches("ECHO", 5), (std::vector<std::string>{"EVERYTHING_ECHO"}));
    EXPECT_TRUE(table.close_matches("SOMETHING_ELSE_ALTOGETHER", 5).empty());
    EXPECT_TRUE(table.close_matches("", 5).empty());
    EXPECT_TRUE(table.close_matches(std::string(100'000, 'X'), 5).empty());
}

}  // namespace
}  // namespace gateway::tools
