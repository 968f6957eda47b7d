#include <gmock/gmock.h>

#include "tests/gateway/config/fixture.hpp"

namespace gateway::config {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// One wrong word of a configuration, and the line that tells it.
struct wrong {
    const char* key;   // of --set
    const char* text;  // its value
    const char* line;
};

class WrongValue : public Configuration, public testing::WithParamInterface<wrong> {};

TEST_P(WrongValue, IsToldWithKeyValueSourceAndWhatIsAllowed) {
    arguments({"--set", std::string(GetParam().key) + "=" + GetParam().text});
    auto told = stopped();
    EXPECT_EQ(told.status, 2);
    EXPECT_EQ(told.text, "cellgate: the configuration has an error:\n  " + std::string(GetParam().line) + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, WrongValue,
    testing::Values(
        wrong{"server.port", "99999", "server.port = 99999 (from --set): must be an integer from 0 to 65535"},
        wrong{"server.port", "http", "server.port = \"http\" (from --set): must be an integer from 0 to 65535"},
        wrong{"server.port", "", "server.port = \"\" (from --set): must be an integer from 0 to 65535"},
        wrong{"server.host", "", "server.host = \"\" (from --set): must be a host name or an address"},
        wrong{"server.base_url", "Lab",
              "server.base_url = \"Lab\" (from --set): must be a path in lower case that begins with /"},
        wrong{"server.base_url", "/Lab/",
              "server.base_url = \"/Lab/\" (from --set): must be a path in lower case that begins with /"},
        wrong{"server.public_url", "example.org",
              "server.public_url = \"example.org\" (from --set): must be an http or https URL, or empty"},
        wrong{"server.auth", "off", "server.auth = \"off\" (from --set): must be \"keys\" or \"none\""},
        wrong{"server.allow_origin", "example.org",
              "server.allow_origin = \"example.org\" (from --set): must be an origin such as https://lab.example.org, "
              "*, or empty"},
        wrong{"server.allow_origin_pattern", "(",
              "server.allow_origin_pattern = \"(\" (from --set): must be a regular expression"},
        wrong{"server.allow_credentials", "yes",
              "server.allow_credentials = \"yes\" (from --set): must be true or false"},
        wrong{"server.log_level", "trace",
              "server.log_level = \"trace\" (from --set): must be \"debug\", \"info\", \"warning\" or \"error\""},
        wrong{"server.tls_client_ca", "/nowhere/ca.pem",
              "server.tls_client_ca = \"/nowhere/ca.pem\" (from --set): must be a readable PEM file"},
        wrong{"kernels.default", "", "kernels.default = \"\" (from --set): must be a kernelspec's name"},
        wrong{"kernels.prefixes", "/nowhere",
              "kernels.prefixes = [\"/nowhere\"] (from --set): must be a list, each an existing directory"},
        wrong{"kernels.client_env", "A-B",
              "kernels.client_env = [\"A-B\"] (from --set): must be a list, each a variable's name, whose last "
              "character may be *"},
        wrong{"kernels.pool", "python3",
              "kernels.pool = \"python3\" (from --set): must be NAME = COUNT, each count from 0 to 1000"},
        wrong{"kernels.pool", "python3=-1",
              "kernels.pool = {python3 = -1} (from --set): must be NAME = COUNT, each count from 0 to 1000"},
        wrong{"kernels.launcher", "/nowhere",
              "kernels.launcher = \"/nowhere\" (from --set): must be an executable file"},
        wrong{"sessions.cell_timeout_s", "-1",
              "sessions.cell_timeout_s = -1 (from --set): must be an integer from 0 to 31536000"}));

TEST_F(Configuration, TellsAllErrorsAtOnce) {
    file("[server]\nport = 99999\nhost = 1\n[kernels]\nmax = \"many\"\n");
    variable("CELLGATE_CULLING_BUSY", "maybe");
    arguments({"--auth", "never"});
    auto told = stopped();
    EXPECT_EQ(told.status, 2);
    EXPECT_THAT(told.text, HasSubstr("5 errors"));
    auto toml = directory + "/cellgate.toml";
    EXPECT_THAT(told.text, HasSubstr("server.port = 99999 (from " + toml + " line 2): must be an integer"));
    EXPECT_THAT(told.text, HasSubstr("server.host = 1 (from " + toml + " line 3): must be a host name"));
    EXPECT_THAT(told.text, HasSubstr("kernels.max = \"many\" (from " + toml + " line 5): must be an integer"));
    EXPECT_THAT(told.text, HasSubstr("culling.busy = \"maybe\" (from CELLGATE_CULLING_BUSY): must be true or false"));
    EXPECT_THAT(told.text, HasSubstr("server.auth = \"never\" (from --auth): must be \"keys\" or \"none\""));
}

TEST_F(Configuration, GuessesWhatAnUnknownKeyMeant) {
    file("[kernels]\ndefualt = \"ir\"\n");
    EXPECT_THAT(stopped().text,
                HasSubstr("kernels.defualt (from " + directory +
                          "/cellgate.toml line 2): there is no such setting; did you mean kernels.default?"));
}

TEST_F(Configuration, GuessesWhatAnUnknownSectionMeant) {
    file("[sever]\nport = 1\n");
    EXPECT_THAT(stopped().text, HasSubstr("did you mean server?"));
}

TEST_F(Configuration, GuessesWhatAnUnknownVariableMeant) {
    variable("CELLGATE_SERVER_PROT", "1");
    EXPECT_THAT(stopped().text,
                HasSubstr("CELLGATE_SERVER_PROT (from the environment): there is no such setting; did you "
                          "mean CELLGATE_SERVER_PORT?"));
}

TEST_F(Configuration, GuessesWhatAnUnknownOptionMeant) {
    arguments({"--prot", "1"});
    EXPECT_THAT(stopped().text,
                HasSubstr("--prot (from the command line): there is no such setting; did you mean --port?"));
}

TEST_F(Configuration, GuessesNothingForAWordThatIsNearNone) {
    file("[server]\nelephants = 1\n");
    EXPECT_THAT(stopped().text, HasSubstr("server.elephants"));
    EXPECT_THAT(stopped().text, HasSubstr("cellgate --help-config lists them all"));
}

TEST_F(Configuration, AnOptionWithoutItsValueIsAnError) {
    arguments({"--port"});
    EXPECT_EQ(stopped().status, 2);
}

TEST_F(Configuration, ANamedFileMustBeThere) {
    arguments({"--config", "nowhere.toml"});
    EXPECT_THAT(stopped().text,
                HasSubstr("config = \"" + directory + "/nowhere.toml\" (from --config): must be a readable TOML file"));
}

TEST_F(Configuration, TellsWhereTheFileIsNoToml) {
    file("[server]\nport = \n");
    EXPECT_THAT(stopped().text, HasSubstr("cellgate.toml line 2"));
}

TEST_F(Configuration, ASectionMustBeATable) {
    file("server = 1\n");
    EXPECT_THAT(stopped().text, HasSubstr("server = 1"));
    EXPECT_THAT(stopped().text, HasSubstr("must be a table: [server]"));
}

TEST_F(Configuration, NeverShowsAKey) {
    variable("CELLGATE_SERVER_TOKEN", "s3cret key");
    EXPECT_THAT(stopped().text,
                AllOf(HasSubstr("server.token = (hidden) (from CELLGATE_SERVER_TOKEN)"), Not(HasSubstr("s3cret"))));
}

TEST_F(Configuration, NeverShowsAKeyOfTheWrongType) {
    file("[server]\ntoken = [\"s3cret\"]\n");
    EXPECT_THAT(stopped().text, Not(HasSubstr("s3cret")));
}

TEST_F(Configuration, NeverShowsAToolkitsSecrets) {
    file("[tools.toolkits.A]\nurl = \"http://a\"\nheaders = {\"bad name\" = \"s3cret\"}\nenv = {K = [\"s3cret\"]}\n");
    EXPECT_THAT(stopped().text, AllOf(HasSubstr("tools.toolkits.A.headers = (hidden)"), Not(HasSubstr("s3cret"))));
}

TEST_F(Configuration, ServesWithoutKeysOnLoopbackOnly) {
    arguments({"--auth", "none", "--host", "0.0.0.0"});
    EXPECT_THAT(stopped().text,
                HasSubstr("server.auth = \"none\" (from --auth): must be \"keys\" unless server.host is "
                          "127.0.0.1, ::1 or localhost, and it is \"0.0.0.0\""));
    for (const char* host : {"localhost", "127.0.0.1", "::1"}) {
        arguments({"--auth", "none", "--host", host});
        EXPECT_EQ(loaded_values().server.host, host);
    }
}

TEST_F(Configuration, ACertificateNeedsItsKey) {
    arguments({"--set", "server.tls_certificate=" + write("c.pem", "")});
    EXPECT_THAT(stopped().text, HasSubstr("server.tls_key = \"\" (from the default): must be set too"));
}

TEST_F(Configuration, AnyOriginMayNotCarryCredentials) {
    file("[server]\nallow_origin = \"*\"\nallow_credentials = true\n");
    EXPECT_THAT(stopped().text, HasSubstr("server.allow_credentials = true"));
}

TEST_F(Configuration, AToolkitIsACommandOrAUrl) {
    file("[tools.toolkits.A]\n[tools.toolkits.B]\ncommand = [\"b\"]\nurl = \"http://b\"\n");
    EXPECT_THAT(stopped().text, HasSubstr("tools.toolkits.A = {}"));
    EXPECT_THAT(stopped().text, HasSubstr("tools.toolkits.B = {command, url}"));
    EXPECT_THAT(stopped().text, HasSubstr("must be given exactly one of command"));
}

TEST_F(Configuration, NamesWhatIsWrongWithAMount) {
    const std::pair<const char*, const char*> cases[] = {
        {"[mounts.a]\n", "mounts.a = {}"},
        {"[mounts]\na = 1\n", "must be a table: [mounts.a]"},
        {"[mounts.files]\ndirectory = \"/srv\"\n", "files is the session's own"},
        {"[mounts.\"a/b\"]\ndirectory = \"/srv\"\n", "named with letters"},
        {"[mounts.a]\ndirectory = 1\n", "mounts.a.directory = 1"},
        {"[mounts.a]\ndirectory = \"/srv\"\nat = \"here\"\n", "an absolute path in the sandbox"},
        {"[mounts.a]\ndirectory = \"/srv\"\nwritable = \"yes\"\n", "must be true or false"},
        {"[mounts.a]\ndirectory = \"/srv\"\nwriteable = true\n", "did you mean mounts.a.writable?"},
        {"[mount.a]\n", "did you mean mounts?"},
    };
    for (const auto& [text, expected] : cases) {
        file(text);
        EXPECT_THAT(stopped().text, HasSubstr(expected)) << text;
    }
}

TEST_F(Configuration, GuessesWhatAToolkitsKeyMeant) {
    file("[tools.toolkits.A]\ncomand = [\"a\"]\n");
    EXPECT_THAT(stopped().text, HasSubstr("did you mean tools.toolkits.A.command?"));
}

}  // namespace
}  // namespace gateway::config
