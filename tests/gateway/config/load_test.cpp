#include "tests/gateway/config/fixture.hpp"

namespace gateway::config {
namespace {

TEST_F(Configuration, HasItsDefaultsWhenNothingIsSaid) {
    auto values = loaded_values();
    EXPECT_EQ(values.server.host, "127.0.0.1");
    EXPECT_EQ(values.server.port, 8888);
    EXPECT_EQ(values.kernels.default_name, "cellgate");
    EXPECT_EQ(values.kernels.python3, "cellgate");
    EXPECT_EQ(values.sessions.cell_timeout_s, 180);
    EXPECT_EQ(values.output_log.memory_bytes, 64 << 20);
}

TEST_F(Configuration, ReadsTheFileOfTheWorkingDirectory) {
    file("[server]\nport = 9000\n[kernels]\nmax = 3\n");
    auto values = loaded_values();
    EXPECT_EQ(values.server.port, 9000);
    EXPECT_EQ(values.kernels.max, 3);
}

TEST_F(Configuration, ReadsTheFileThatIsNamedInsteadOfTheUsualOne) {
    file("[server]\nport = 9000\n");
    write("other.toml", "[server]\nport = 9001\n");
    arguments({"--config", "other.toml"});
    EXPECT_EQ(loaded_values().server.port, 9001);
}

TEST_F(Configuration, TellsWhichFileItRead) {
    file("");
    EXPECT_EQ(std::get<loaded>(load(from)).file, directory + "/cellgate.toml");
}

TEST_F(Configuration, AVariableIsStrongerThanTheFile) {
    file("[server]\nport = 9000\n");
    variable("CELLGATE_SERVER_PORT", "9001");
    EXPECT_EQ(loaded_values().server.port, 9001);
}

TEST_F(Configuration, AnOptionIsStrongerThanAVariable) {
    variable("CELLGATE_SERVER_PORT", "9001");
    arguments({"--port", "9002"});
    EXPECT_EQ(loaded_values().server.port, 9002);
}

TEST_F(Configuration, EverySettingCanBeSetOnTheCommandLine) {
    arguments({"--set", "kernels.max=7", "--set", "culling.connected=true"});
    auto values = loaded_values();
    EXPECT_EQ(values.kernels.max, 7);
    EXPECT_TRUE(values.culling.connected);
}

TEST_F(Configuration, ReadsWholeAndBrokenNumbersWhereEitherMayBe) {
    file("[sizes.standard]\ncpus = 0.5\npids = 64\n[sizes.jupyter]\ncpus = 2\n");
    variable("CELLGATE_SIZES_MEDIUM_CPUS", "1.5");
    auto values = loaded_values();
    EXPECT_EQ(values.sizes.standard.cpus, 0.5);
    EXPECT_EQ(values.sizes.jupyter.cpus, 2);
    EXPECT_EQ(values.sizes.medium.cpus, 1.5);
    EXPECT_EQ(values.sizes.standard.pids, 64);
}

TEST_F(Configuration, ReadsListsAndTables) {
    file("[kernels]\ninherited_env = [\"PATH\", \"LC_ALL\"]\n[kernels.pool]\npython3 = 2\nbash = 1\n");
    auto values = loaded_values();
    EXPECT_EQ(values.kernels.inherited_env, (strings{"PATH", "LC_ALL"}));
    EXPECT_EQ(values.kernels.pool, (std::map<std::string, integer>{{"python3", 2}, {"bash", 1}}));
}

TEST_F(Configuration, AnEmptyListIsAList) {
    file("[kernels]\ninherited_env = []\n");
    EXPECT_TRUE(loaded_values().kernels.inherited_env.empty());
}

TEST_F(Configuration, ReadsListsAndTablesFromVariables) {
    variable("CELLGATE_KERNELS_INHERITED_ENV", "PATH, LANG");
    variable("CELLGATE_KERNELS_POOL", "python3=2");
    auto values = loaded_values();
    EXPECT_EQ(values.kernels.inherited_env, (strings{"PATH", "LANG"}));
    EXPECT_EQ(values.kernels.pool, (std::map<std::string, integer>{{"python3", 2}}));
}

TEST_F(Configuration, ReadsToolkitsOfBothKinds) {
    file(
        "[tools.toolkits.EVERYTHING]\ncommand = [\"node\", \"server.js\"]\nenv = {KEY = \"k\"}\ntimeout_s = 5\n"
        "[tools.toolkits.REMOTE]\nurl = \"https://example.org/mcp\"\nheaders = {Authorization = \"Bearer k\"}\n");
    auto toolkits = loaded_values().tools.toolkits;
    EXPECT_EQ(toolkits["EVERYTHING"], (toolkit{{"node", "server.js"}, "", {{"KEY", "k"}}, {}, 5}));
    EXPECT_EQ(toolkits["REMOTE"], (toolkit{{}, "https://example.org/mcp", {}, {{"Authorization", "Bearer k"}}, 0}));
}

TEST_F(Configuration, ReadsMounts) {
    auto path = write("etc/c.toml",
                      "[mounts.data]\ndirectory = \"sets\"\n"
                      "[mounts.out-1]\ndirectory = \"/srv/out\"\nat = \"/out\"\nwritable = true\n");
    arguments({"--config", path});
    auto mounts = loaded_values().mounts;
    EXPECT_EQ(mounts["data"], (named_mount{directory + "/etc/sets", "", false}));
    EXPECT_EQ(mounts["out-1"], (named_mount{"/srv/out", "/out", true}));
}

TEST_F(Configuration, RelativePathsOfTheFileAreBesideTheFile) {
    auto venv = make_directory("etc/venv");
    auto path = write("etc/c.toml", "[storage]\ndata_dir = \"data\"\n[kernels]\nprefixes = [\"venv/.\"]\n");
    arguments({"--config", path});
    auto values = loaded_values();
    EXPECT_EQ(values.storage.data_dir, directory + "/etc/data");
    EXPECT_EQ(values.kernels.prefixes, strings{venv});
}

TEST_F(Configuration, RelativePathsOfTheCommandLineAreBelowTheWorkingDirectory) {
    arguments({"--data-dir", "../data"});
    EXPECT_EQ(loaded_values().storage.data_dir, std::filesystem::path(directory).parent_path().string() + "/data");
}

TEST_F(Configuration, ATildeIsTheHome) {
    variable("CELLGATE_STORAGE_DATA_DIR", "~/cellgate");
    EXPECT_EQ(loaded_values().storage.data_dir, "/home/ana/cellgate");
}

TEST_F(Configuration, FindsDirectoriesWhereTheSystemKeepsThem) {
    auto values = loaded_values();
    EXPECT_EQ(values.storage.data_dir, "/home/ana/.local/share/cellgate");
    EXPECT_EQ(values.storage.runtime_dir, "/tmp/cellgate-1000");

    from.uid = 0;
    EXPECT_EQ(loaded_values().storage.runtime_dir, "/home/ana/.local/share/cellgate/run");

    variable("XDG_DATA_HOME", "/data");
    variable("XDG_RUNTIME_DIR", "/run/user/1000");
    values = loaded_values();
    EXPECT_EQ(values.storage.data_dir, "/data/cellgate");
    EXPECT_EQ(values.storage.runtime_dir, "/run/user/1000/cellgate");
}

TEST_F(Configuration, FindsTheLauncherAndThePackageOfABuildTree) {
    from.executable = directory + "/build/dev/gateway/main/cellgate";
    make_directory("build/dev/gateway/main");
    make_directory("kernel/python/cellgate_kernel");
    auto launcher = write("build/dev/kernel/launcher/cellgate-launcher", "");
    auto values = loaded_values();
    EXPECT_EQ(values.kernels.launcher, launcher);
    EXPECT_EQ(values.kernels.package_dir, directory + "/kernel/python");
}

TEST_F(Configuration, FindsTheLauncherAndThePackageOfAnInstallation) {
    auto launcher = write("bin/cellgate-launcher", "");
    make_directory("share/cellgate/python/cellgate_kernel");
    auto values = loaded_values();
    EXPECT_EQ(values.kernels.launcher, launcher);
    EXPECT_EQ(values.kernels.package_dir, directory + "/share/cellgate/python");
}

TEST_F(Configuration, IgnoresTheVariablesThatKubernetesSetsForAServiceOfThisName) {
    variable("CELLGATE_SERVICE_HOST", "10.0.0.1");
    variable("CELLGATE_PORT", "tcp://10.0.0.1:8888");
    variable("CELLGATE_PORT_8888_TCP_ADDR", "10.0.0.1");
    EXPECT_EQ(loaded_values().server.port, 8888);
}

TEST_F(Configuration, LeavesTheWordsAfterTheOptionsToTheCommand) {
    arguments({"--data-dir", "/data", "keys", "add", "--user", "ana"});
    auto result = load(from);
    ASSERT_TRUE(std::holds_alternative<loaded>(result));
    EXPECT_EQ(std::get<loaded>(result).command, (strings{"keys", "add", "--user", "ana"}));
    EXPECT_EQ(std::get<loaded>(result).values.storage.data_dir, "/data");
}

TEST_F(Configuration, HelpIsNoError) {
    for (const char* flag : {"--help", "-h", "--help-config", "--version"}) {
        arguments({flag});
        EXPECT_EQ(stopped().status, 0) << flag;
    }
}

TEST_F(Configuration, HelpIsGivenEvenWhenTheConfigurationIsBroken) {
    file("nonsense");
    arguments({"--help-config"});
    EXPECT_EQ(stopped().status, 0);
}

}  // namespace
}  // namespace gateway::config
