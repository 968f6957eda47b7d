#include <gmock/gmock.h>

#include "tests/gateway/config/fixture.hpp"

namespace gateway::config {
namespace {

using testing::HasSubstr;
using testing::Not;

class Services : public Configuration {};

TEST_F(Services, AreOffWithoutTheirSettings) {
    auto values = loaded_values();
    EXPECT_EQ(values.llm.base_url, "");
    EXPECT_EQ(values.search.provider, "");
}

TEST_F(Services, TakeTheirKeyFromTheEnvironment) {
    file("[llm]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n[search]\nprovider = \"exa\"\n");
    variable("CELLGATE_LLM_API_KEY", "sk-1");
    variable("CELLGATE_SEARCH_API_KEY", "k-2");
    auto values = loaded_values();
    EXPECT_EQ(values.llm.api_key, "sk-1");
    EXPECT_EQ(values.search.api_key, "k-2");
}

TEST_F(Services, TakeTheirKeyFromTheFirstLineOfAFile) {
    write("model.key", "sk-1 \r\nmore\n");
    write("search.key", "k-2");
    file("[llm]\napi_key_file = \"model.key\"\n[search]\nprovider = \"brave\"\napi_key_file = \"search.key\"\n");
    auto values = loaded_values();
    EXPECT_EQ(values.llm.api_key, "sk-1");
    EXPECT_EQ(values.search.api_key, "k-2");
}

TEST_F(Services, RefuseAKeyFileThatHoldsNone) {
    for (const char* content : {"", "\n", "two words\n", "\x01\n"}) {
        write("model.key", content);
        file("[llm]\napi_key_file = \"model.key\"\n");
        EXPECT_THAT(stopped().text, HasSubstr("llm.api_key_file"));
    }
}

TEST_F(Services, RefuseTwoKeys) {
    write("model.key", "sk-1\n");
    file("[llm]\napi_key_file = \"model.key\"\napi_key = \"sk-other\"\n");
    EXPECT_THAT(stopped().text, HasSubstr("must be empty while llm.api_key is set"));
    EXPECT_THAT(stopped().text, Not(HasSubstr("sk-other")));
}

TEST_F(Services, NeverShowAKey) {
    variable("CELLGATE_LLM_API_KEY", "s3cret key");
    variable("CELLGATE_SEARCH_API_KEY", "s3cret key");
    EXPECT_THAT(stopped().text, HasSubstr("llm.api_key = (hidden)"));
    EXPECT_THAT(stopped().text, HasSubstr("search.api_key = (hidden)"));
    EXPECT_THAT(stopped().text, Not(HasSubstr("s3cret")));
}

TEST_F(Services, NameAModelAndAProviderThatCanBeAsked) {
    file("[llm]\nbase_url = \"http://127.0.0.1:9/v1\"\n");
    EXPECT_THAT(stopped().text, HasSubstr("llm.model"));
    file("[search]\nprovider = \"searxng\"\n");
    EXPECT_THAT(stopped().text, HasSubstr("search.url"));
    file("[search]\nprovider = \"tavily\"\n");
    EXPECT_THAT(stopped().text, HasSubstr("search.api_key"));
    file("[search]\nprovider = \"altavista\"\n");
    EXPECT_THAT(stopped().text, HasSubstr("\"searxng\", \"brave\", \"tavily\" or \"exa\""));
}

}  // namespace
}  // namespace gateway::config
