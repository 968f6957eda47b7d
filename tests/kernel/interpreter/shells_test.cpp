#include "kernel/interpreter/shells.hpp"

#include <gtest/gtest.h>

namespace kernel {
namespace {

TEST(shell_table, knows_the_main_shell_and_the_subshells_that_live) {
    shell_table table;
    auto first = table.add();
    auto second = table.add();
    EXPECT_NE(first->id, second->id);
    EXPECT_EQ(table.find(""), table.main());
    EXPECT_EQ(table.find(first->id), first);
    EXPECT_EQ(table.list().size(), 2U);
    EXPECT_EQ(table.find("nobody's"), nullptr);
}

TEST(shell_table, gives_up_a_subshell_that_is_removed) {
    shell_table table;
    auto made = table.add();
    EXPECT_EQ(table.remove(made->id), made);
    EXPECT_EQ(table.remove(made->id), nullptr);
    EXPECT_EQ(table.find(made->id), nullptr);
    EXPECT_FALSE(table.main()->queue.closed());
}

TEST(shell_table, closes_all_when_the_kernel_ends) {
    shell_table table;
    auto made = table.add();
    table.close_all();
    EXPECT_TRUE(made->queue.closed());
    EXPECT_TRUE(table.main()->queue.closed());
}

TEST(shell_table, does_not_let_a_client_remove_the_main_shell) {
    shell_table table;
    EXPECT_EQ(table.remove(""), nullptr);
    EXPECT_FALSE(table.main()->queue.closed());
}

}  // namespace
}  // namespace kernel
