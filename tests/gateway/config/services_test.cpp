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

TEST_F(Services, AccountsReachNamedNetworks) {
    file("[accounts]\nallow_networks = [\"10.1.0.0/16\", \"fd12::/16\", \"127.0.0.1\"]\nplain_http = true\n");
    auto values = loaded_values();
    EXPECT_EQ(values.accounts.allow_networks.size(), 3u);
    EXPECT_TRUE(values.accounts.plain_http);
    for (const char* each : {"10.1.0.0/33", "intranet", "", "10.1/16", "10.1.0.0/", "::/129"}) {
        file(std::string("[accounts]\nallow_networks = [\"") + each + "\"]\n");
        EXPECT_THAT(stopped().text, HasSubstr("accounts.allow_networks")) << each;
    }
}

TEST_F(Services, AComposioAccountIsATableOfItsOwn) {
    write("composio.key", "ak_1\n");
    file(
        "[tools]\ntimeout_s = 5\n[tools.composio]\napi_key_file = \"composio.key\"\ntoolkits = [\"github\"]\n"
        "tools = [\"GMAIL_SEND_EMAIL\"]\nuser_id = \"company\"\n[tools.toolkits.FILES]\ncommand = [\"x\"]\n");
    auto composio = loaded_values().tools.composio;
    EXPECT_EQ(composio.api_key, "ak_1");
    EXPECT_EQ(composio.base_url, "https://backend.composio.dev");
    EXPECT_EQ(composio.toolkits, strings{"github"});
}

TEST_F(Services, AComposioAccountSaysWhatMayBeCalled) {
    file("[tools.composio]\napi_key = \"ak_secret\"\n");
    EXPECT_THAT(stopped().text, HasSubstr("tools.composio.toolkits"));
    EXPECT_THAT(stopped().text, Not(HasSubstr("ak_secret")));
    for (const char* each : {"composio", "GitHub", "a&b", ""}) {
        file(std::string("[tools.composio]\napi_key = \"ak_1\"\ntoolkits = [\"") + each + "\"]\n");
        EXPECT_THAT(stopped().text, HasSubstr("tools.composio.toolkits")) << each;
    }
    file("[tools.composio]\napi_kye = \"x\"\n");
    EXPECT_THAT(stopped().text, HasSubstr("did you mean tools.composio.api_key?"));
}

TEST_F(Services, ThatUsersConnectAreTablesOfTheirOwn) {
    file(
        "[accounts]\nlink_timeout_s = 60\n[accounts.services.github]\nbase_url = \"https://api.github.com\"\n"
        "hosts = [\"uploads.github.com\"]\nauth_scheme = \"bearer\"\n[accounts.services.maps-2]\n"
        "base_url = \"https://maps.example/v2\"\nauth_scheme = \"api_key\"\nin = \"header\"\nname = \"x-key\"\n"
        "prefix = \"Key \"\n");
    auto accounts = loaded_values().accounts;
    EXPECT_EQ(accounts.link_timeout_s, 60);
    EXPECT_EQ(accounts.services["github"],
              (service{"https://api.github.com", {"uploads.github.com"}, "bearer", "", "", ""}));
    EXPECT_EQ(accounts.services["maps-2"],
              (service{"https://maps.example/v2", {}, "api_key", "header", "x-key", "Key "}));
}

TEST_F(Services, ThatUsersConnectAreRefusedByTheirKeys) {
    const std::pair<const char*, const char*> cases[] = {
        {"[accounts.services.GitHub]\n", "accounts.services.GitHub"},
        {"[accounts.services.composio]\n", "and not composio"},
        {"[accounts.services.a]\nauth_scheme = \"bearer\"\n", "given base_url and auth_scheme"},
        {"[accounts.services.a]\nbase_url = \"ftp://a\"\n", "an http or https URL"},
        {"[accounts.services.a]\nauth_scheme = \"oauth2\"\n", "\"api_key\", \"basic\" or \"bearer\""},
        {"[accounts.services.a]\nin = \"body\"\n", "accounts.services.a.in"},
        {"[accounts.services.a]\nhosts = \"b\"\n", "a list of host names"},
        {"[accounts.services.a]\nbase_urls = \"https://a\"\n", "did you mean accounts.services.a.base_url?"},
        {"[accounts.services.a]\nbase_url = \"https://a\"\nauth_scheme = \"basic\"\nin = \"query\"\n",
         "accounts.services.a.in"},
        {"[accounts]\nservices = 5\n", "tables: [accounts.services.NAME]"},
        {"[accounts.services]\na = 5\n", "a table: [accounts.services.a]"},
    };
    for (const auto& [text, says] : cases) {
        file(text);
        EXPECT_THAT(stopped().text, HasSubstr(says)) << text;
    }
}

}  // namespace
}  // namespace gateway::config
