#include "gateway/api/helpers/tools_route.hpp"

#include <gtest/gtest.h>

namespace gateway::api::helpers {
namespace {

std::vector<std::string> found(const std::string& query) {
    std::vector<tools::tool_description> all{{"FILES_READ", "FILES", "read", "Reads a file", "{}"},
                                             {"MAIL_SEND", "MAIL", "send", "Sends a mail with files", "{}"},
                                             {"MAIL_READ", "MAIL", "read", "Shows mails", "{}"}};
    std::vector<std::string> made;
    for (auto& each : matching(std::move(all), query)) made.push_back(each.slug);
    return made;
}
using slugs = std::vector<std::string>;

TEST(the_tools, are_all_without_words) { EXPECT_EQ(found("  "), (slugs{"FILES_READ", "MAIL_SEND", "MAIL_READ"})); }

TEST(the_tools, that_are_found_have_all_words_in_any_case) {
    EXPECT_EQ(found("read mail"), slugs{"MAIL_READ"});
    EXPECT_EQ(found("FILE"), (slugs{"FILES_READ", "MAIL_SEND"}));
    EXPECT_EQ(found("xyzzy"), slugs());
}

TEST(the_tools, with_the_words_in_their_slug_come_first) { EXPECT_EQ(found("send"), slugs{"MAIL_SEND"}); }

}  // namespace
}  // namespace gateway::api::helpers
