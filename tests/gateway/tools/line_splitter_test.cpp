#include "gateway/tools/line_splitter.hpp"

#include <gtest/gtest.h>

#include "gateway/tools/stderr_log.hpp"

namespace gateway::tools {
namespace {

using line = line_splitter::line;

TEST(line_splitter, gives_a_line_once_it_is_whole) {
    line_splitter lines(100);
    EXPECT_TRUE(lines.feed("{\"a\"").empty());
    EXPECT_EQ(lines.feed(":1}\n\n{}\r\nre"), (std::vector<line>{{"{\"a\":1}", false, {}}, {"{}", false, {}}}));
    EXPECT_EQ(lines.feed("st\n"), (std::vector<line>{{"rest", false, {}}}));
}

TEST(line_splitter, a_line_of_exactly_the_limit_is_kept) {
    line_splitter lines(4);
    EXPECT_EQ(lines.feed("abcd\nabcde\nx\n"),
              (std::vector<line>{{"abcd", false, {}}, {"", true, {}}, {"x", false, {}}}));
}

TEST(line_splitter, tells_whose_answer_was_too_long_wherever_its_id_is) {
    auto filler = std::string(50, 'x');
    for (auto text :
         {R"({"jsonrpc":"2.0","id":42,"result":{"id":7,"t":")" + filler + "\"}}\n",
          R"({"result":{"id":7,"t":[{"id":8}],"u":")" + filler + R"("},"jsonrpc":"2.0", "id" : 42 })" + "\n",
          R"({"result":"\"id\":1,)" + filler + R"(\\","id":42})" + "\n"}) {
        line_splitter whole(20);
        EXPECT_EQ(whole.feed(text), (std::vector<line>{{"", true, 42}})) << text;
        line_splitter bytewise(20);
        std::vector<line> found;
        for (char each : text)
            for (auto& one : bytewise.feed(std::string_view(&each, 1))) found.push_back(one);
        EXPECT_EQ(found, (std::vector<line>{{"", true, 42}})) << text;
    }
}

TEST(line_splitter, an_id_that_is_no_number_of_ours_is_not_told) {
    for (auto id : {R"("42")", "-1", "4.5", "null", "[42]", "{}", "99999999999999999999999999"}) {
        line_splitter lines(10);
        EXPECT_EQ(lines.feed(std::string(R"({"result":"xxxxxxxxxxxxxxxxxx","id":)") + id + "}\n"),
                  (std::vector<line>{{"", true, {}}}))
            << id;
    }
}

TEST(stderr_log, gives_lines_without_what_a_terminal_would_act_on) {
    stderr_log log;
    EXPECT_EQ(log.feed("one\ntw"), (std::vector<std::string>{"one"}));
    EXPECT_EQ(log.feed("o\x1b[31m\n\n"), (std::vector<std::string>{"two [31m"}));
}

TEST(stderr_log, a_flood_is_cut) {
    stderr_log log;
    EXPECT_EQ(log.feed(std::string(5000, 'x') + "\n").front().size(), stderr_log::max_line_bytes);
    std::size_t lines = 0;
    for (int i = 0; i < 5000; ++i) lines += log.feed("again\n").size();
    EXPECT_EQ(lines, stderr_log::max_lines);  // one was logged before; the last one says that there are more
}

}  // namespace
}  // namespace gateway::tools
