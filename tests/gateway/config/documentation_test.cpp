#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gateway/config/table.hpp"

namespace gateway::config {
namespace {

const std::string page = CELLGATE_SOURCE_DIR "/docs/configuration.md";
const std::string begins = "<!-- settings: made from gateway/config/table.cpp -->\n";
const std::string ends = "<!-- end of settings -->\n";

std::string read_page() {
    std::ifstream in(page);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// UPDATE_DOCS=1 writes the table into the page instead.
TEST(TheDocumentation, HasTheTableOfTheCode) {
    auto text = read_page();
    auto from = text.find(begins), to = text.find(ends);
    ASSERT_NE(from, text.npos);
    ASSERT_NE(to, text.npos);
    from += begins.size();
    if (std::getenv("UPDATE_DOCS") != nullptr) {
        std::ofstream(page) << text.substr(0, from) << markdown_table() << text.substr(to);
        return;
    }
    EXPECT_EQ(text.substr(from, to - from), markdown_table())
        << "write it anew: UPDATE_DOCS=1 build/dev/tests/gateway/config/gateway_config_test";
}

}  // namespace
}  // namespace gateway::config
