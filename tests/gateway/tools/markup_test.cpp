#include "gateway/tools/markup.hpp"

#include <gtest/gtest.h>

namespace gateway::tools {
namespace {

TEST(plain_text_of, markup_is_what_a_reader_sees) {
    EXPECT_EQ(plain_text("The <strong>last</strong> one<br/>is &amp; was &lt;b&gt; &#39;x&#x27; &quot;y&quot;"),
              "The last oneis & was <b> 'x' \"y\"");
    EXPECT_EQ(plain_text("  a \n\t b  "), "a b");
    EXPECT_EQ(plain_text(""), "");
}

TEST(plain_text_of, what_is_no_markup_is_that) {
    for (const char* text : {"a < b and c > d", "1<2", "AT&T", "&nbsp", "&#0;", "&#xzz;", "&#", "<", "</", "&;", "<3",
                             "&#999999999;", "an <unclosed"})
        EXPECT_EQ(plain_text(text), text);
}

}  // namespace
}  // namespace gateway::tools
