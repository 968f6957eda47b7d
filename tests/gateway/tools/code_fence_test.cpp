#include "gateway/tools/code_fence.hpp"

#include <gtest/gtest.h>

namespace gateway::tools {
namespace {

TEST(a_fence, around_the_whole_answer_goes) {
    EXPECT_EQ(without_fence("```\ntext\n```"), "text");
    EXPECT_EQ(without_fence("```json\n{\"a\": 1}\n```"), "{\"a\": 1}");
    EXPECT_EQ(without_fence("\n\n```python\na\n\nb\n```\n \n"), "a\n\nb");
    EXPECT_EQ(without_fence("~~~\na\n~~~"), "a");
    EXPECT_EQ(without_fence("```\r\na\r\n```\r\n"), "a");
    EXPECT_EQ(without_fence("```\n```"), "");
}

TEST(a_fence, of_more_marks_may_hold_one_of_fewer) {
    EXPECT_EQ(without_fence("````\n```\na\n```\n````"), "```\na\n```");
    EXPECT_EQ(without_fence("```\na\n`````"), "a");
}

TEST(a_fence, that_is_not_the_whole_answer_stays) {
    for (const char* text : {"", "  ", "text", "see:\n```\na\n```", "```\na\n```\nand more", "```\na\n```\n```\nb\n```",
                             "```\nnever closed", "```", "``\na\n``", "```\na\n~~~", "``` a `b`\nc\n```"})
        EXPECT_EQ(without_fence(text), text);
}

TEST(a_fence, that_stays_leaves_the_text_as_it_came) { EXPECT_EQ(without_fence("  text \n"), "  text \n"); }

}  // namespace
}  // namespace gateway::tools
