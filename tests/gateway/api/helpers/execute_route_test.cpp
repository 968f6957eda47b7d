#include "gateway/api/helpers/execute_route.hpp"

#include <gtest/gtest.h>

namespace gateway::api::helpers {
namespace {

TEST(check_callable, keeps_an_agents_tools_out_of_cells) {
    for (const char* slug :
         {"COMPOSIO_REMOTE_WORKBENCH", " composio_remote_bash_tool ", "COMPOSIO_SEARCH_TOOLS", "COMPOSIO_"}) {
        auto good = check_callable(slug);
        ASSERT_FALSE(good) << slug;
        EXPECT_EQ(good.error().code, errc::invalid_request);
        EXPECT_NE(good.error().message.find("cannot be called from a cell"), std::string::npos);
    }
}

TEST(check_callable, lets_tools_pass_and_the_two_of_published_helpers) {
    for (const char* slug : {"FILES_READ", "COMPOSIOS_OWN", "COMPOSIO_SEARCH_GROQ_CHAT", "composio_search_exa_answer"})
        EXPECT_TRUE(check_callable(slug)) << slug;
}

}  // namespace
}  // namespace gateway::api::helpers
