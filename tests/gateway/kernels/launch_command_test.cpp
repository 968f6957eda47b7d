#include "gateway/kernels/launch_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

#include "gateway/kernels/read_only_mounts.hpp"
#include "tests/gateway/kernels/fake_launcher.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
namespace fs = std::filesystem;

kernelspec spec_in(const std::string& directory, std::vector<std::string> argv) {
    kernelspec spec;
    spec.name = "x";
    spec.directory = directory;
    spec.argv = std::move(argv);
    spec.language = "x";
    return spec;
}

class launch_command_test : public testing::Test {
  protected:
    // An installed program, as a virtual environment has it.
    std::string program(const std::string& path) {
        auto full = root.path() + path;
        fs::create_directories(fs::path(full).parent_path());
        std::ofstream(full) << "#!/bin/sh\n";
        fs::permissions(full, fs::perms::owner_all);
        return full;
    }
    std::string spec_directory(const std::string& prefix) {
        auto directory = root.path() + prefix + "/share/jupyter/kernels/x";
        fs::create_directories(directory);
        return directory;
    }
    kernel_environment environment() {
        return {io.get_executor(), processes, "/run/cellgate-test", {}, {}, {}, {}, {}, {}};
    }

    test_support::temporary_directory root;
    boost::asio::io_context io;
    fake_launcher processes{io.get_executor()};
};

TEST(substitute_variables_test, works_as_pythons_template_does) {
    const environment_map values = {{"A", "1"}, {"LONG_NAME", "two"}};
    const std::pair<const char*, const char*> table[] = {
        {"", ""},         {"plain", "plain"}, {"${A}", "1"},  {"$A", "1"},        {"x${A}y$LONG_NAME", "x1ytwo"},
        {"$$A", "$A"},    {"$", "$"},         {"${A", "${A"}, {"${NO}", "${NO}"}, {"$NO-$A", "$NO-1"},
        {"a$-b", "a$-b"},
    };
    for (const auto& [text, wanted] : table) EXPECT_EQ(substitute_variables(text, values), wanted) << text;
}

TEST(kernel_environment_variables_test, a_client_overrides_the_spec_and_the_spec_what_is_inherited) {
    kernelspec spec;
    spec.env = {{"A", "spec"}, {"B", "spec"}};
    auto env = kernel_environment_variables({{"A", "inherited"}, {"B", "inherited"}, {"C", "inherited"}}, spec,
                                            {{"B", "client"}});
    EXPECT_EQ(env["A"], "spec");
    EXPECT_EQ(env["B"], "client");
    EXPECT_EQ(env["C"], "inherited");
}

TEST(kernel_environment_variables_test, the_spec_may_refer_to_what_is_inherited_or_asked_for) {
    kernelspec spec;
    spec.env = {{"A", "${KERNEL_USERNAME}:${LANG}:${NOT_THERE}"}};
    auto env = kernel_environment_variables({{"LANG", "C"}}, spec, {{"KERNEL_USERNAME", "bob"}});
    EXPECT_EQ(env["A"], "bob:C:${NOT_THERE}");
}

TEST(kernel_environment_variables_test, some_names_are_not_for_others_to_set) {
    kernelspec spec;
    spec.env = {{"KERNEL_GATEWAY", "0"}, {"JPY_PARENT_PID", "1"}};
    auto env = kernel_environment_variables({{"HOME", "/root"}, {"USER", "root"}, {"JPY_PARENT_PID", "1"}}, spec,
                                            {{"KERNEL_GATEWAY", "0"}, {"JPY_PARENT_PID", "1"}});
    EXPECT_EQ(env["KERNEL_GATEWAY"], "1");
    EXPECT_FALSE(env.contains("JPY_PARENT_PID"));
    EXPECT_EQ(env["HOME"], "/home/user");
    EXPECT_EQ(env["USER"], "user");
}

TEST(kernel_environment_variables_test, there_is_a_path_and_a_locale_also_when_nothing_is_inherited) {
    auto env = kernel_environment_variables({}, {}, {});
    EXPECT_THAT(env, Contains(Pair("PATH", "/usr/local/bin:/usr/bin:/bin")));
    EXPECT_THAT(env, Contains(Pair("LANG", "C.UTF-8")));
}

TEST_F(launch_command_test, a_bare_python_is_the_one_of_the_environment_that_has_the_spec) {
    auto python = program("/venv/bin/python");
    for (const char* name : {"python", "python3", "python3.11"}) {
        auto argv = kernel_argv(spec_in(spec_directory("/venv"), {name, "-m", "x"}), {}, "/c");
        ASSERT_TRUE(argv) << name;
        EXPECT_THAT(*argv, ElementsAre(python, "-m", "x"));
    }
}

TEST_F(launch_command_test, a_bare_python_of_any_other_spec_is_debians) {
    auto argv = kernel_argv(spec_in(root.path() + "/x", {"python"}), {}, "/c");
    ASSERT_TRUE(argv);
    EXPECT_THAT(*argv, ElementsAre("/usr/bin/python3"));
}

TEST_F(launch_command_test, fields_are_filled_in_and_unknown_ones_stay) {
    auto directory = spec_directory("/venv");
    auto argv = kernel_argv(
        spec_in(directory, {"/bin/sh", "-f={connection_file}", "{resource_dir}", "{prefix}/x", "{other}", "{}"}), {},
        "/run/k/connection.json");
    ASSERT_TRUE(argv);
    EXPECT_THAT(*argv, ElementsAre("/bin/sh", "-f=/run/k/connection.json", directory, root.path() + "/venv/x",
                                   "{other}", "{}"));
}

TEST_F(launch_command_test, any_other_bare_name_is_searched_in_the_kernels_path) {
    auto found = program("/tools/frob");
    auto spec = spec_in(root.path(), {"frob"});
    auto argv = kernel_argv(spec, {{"PATH", "/nowhere::" + root.path() + "/tools:/usr/bin"}}, "/c");
    ASSERT_TRUE(argv);
    EXPECT_EQ(argv->front(), found);
    auto missing = kernel_argv(spec, {{"PATH", "/nowhere"}}, "/c");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, errc::kernel_start_failed);
    EXPECT_THAT(missing.error().message, HasSubstr("\"frob\""));
}

TEST_F(launch_command_test, a_program_that_is_not_there_is_named) {
    for (const char* path : {"/nowhere/python", "relative/python", "/usr/bin"}) {
        auto argv = kernel_argv(spec_in(root.path(), {path}), {}, "/c");
        ASSERT_FALSE(argv) << path;
        EXPECT_THAT(argv.error().message, HasSubstr(path));
    }
}

TEST_F(launch_command_test, a_program_brings_the_prefixes_that_its_links_lead_to) {
    auto real = program("/real/bin/python3.12");
    fs::create_directories(root.path() + "/venv/bin");
    fs::create_symlink(real, root.path() + "/venv/bin/python3");
    fs::create_symlink("python3", root.path() + "/venv/bin/python");
    EXPECT_THAT(program_directories(root.path() + "/venv/bin/python"),
                ElementsAre(root.path() + "/venv", root.path() + "/real"));
    EXPECT_THAT(program_directories("/usr/bin/env"), ElementsAre());
    EXPECT_THAT(program_directories("/bin/sh"), ElementsAre());
    EXPECT_THAT(program_directories("/home/user/bin/x"), ElementsAre("/home/user/bin"));
}

TEST_F(launch_command_test, the_box_shows_what_the_kernel_needs_and_parents_come_first) {
    program("/venv/bin/python");
    kernel_options options;
    options.id = "one";
    options.spec = spec_in(spec_directory("/venv"), {"python"});
    options.mounts = {{"/data/files", "/mnt/files", true}, {"/data/home", "/home/user", true}};
    auto shared = environment();
    shared.package_dir = "/package";
    shared.helper_socket_dir = "/helper";
    shared.read_only_paths = {"/usr/lib", root.path() + "/venv", "/nowhere"};
    auto made = make_launch_request(shared, options, "/run/box", "/run/out");
    ASSERT_TRUE(made);
    using mount = ::kernel::bind_mount;
    std::vector<mount> wanted = {{"/data/home", "/home/user", true},
                                 {"/data/files", "/mnt/files", true},
                                 {"/package", "/opt/cellgate/python", false},
                                 {"/helper", "/run/cellgate", false},
                                 {"/run/box", "/run/k", true},
                                 {root.path() + "/venv", root.path() + "/venv", false}};
    EXPECT_EQ(made->mounts, wanted);
    EXPECT_EQ(made->output_file, "/run/out");
    EXPECT_EQ(made->working_dir, "/home/user");
}

TEST_F(launch_command_test, a_program_beside_a_kernel_has_its_environment_and_directory) {
    kernel_options options;
    options.spec = spec_in(spec_directory("/venv"), {program("/venv/bin/x")});
    options.env = {{"A", "kernel"}, {"B", "kernel"}};
    auto made = make_run_request(environment(), options, {{"ls", "$A"}, {{"B", "own"}}, ""});
    EXPECT_THAT(made.argv, ElementsAre("ls", "$A"));
    EXPECT_THAT(made.env, Contains(Pair("A", "kernel")));
    EXPECT_THAT(made.env, Contains(Pair("B", "own")));
    EXPECT_THAT(made.env, Contains(Pair("HOME", "/home/user")));
    EXPECT_THAT(made.env.at("PATH"), testing::StartsWith(root.path() + "/venv/bin:"));
    EXPECT_THAT(made.env, Not(Contains(Pair("CELLGATE_PACKAGES", testing::_))));
    EXPECT_EQ(made.working_dir, "/home/user");
    options.working_dir = "/srv";
    EXPECT_EQ(make_run_request(environment(), options, {{"ls"}, {}, "sub/dir"}).working_dir, "/srv/sub/dir");
    EXPECT_EQ(make_run_request(environment(), options, {{"ls"}, {}, "/mnt/files"}).working_dir, "/mnt/files");
}

TEST_F(launch_command_test, a_program_beside_a_python_kernel_sees_the_sessions_packages) {
    kernel_options options;
    options.spec = spec_in(spec_directory("/venv"), {program("/venv/bin/python")});
    options.spec.language = "python";
    options.env = {{"PYTHONPATH", "/own"}};
    program("/venv/bin/python3");
    auto shared = environment();
    shared.package_dir = "/package";
    auto made = make_run_request(shared, options, {{"python"}, {}, ""});
    EXPECT_EQ(made.env.at("CELLGATE_PACKAGES"), "/opt/cellgate/packages");
    EXPECT_EQ(made.env.at("CELLGATE_PACKAGES_OF"), root.path() + "/venv");
    EXPECT_EQ(made.env.at("PYTHONPATH"), "/opt/cellgate/python/cellgate_kernel/packages/for_programs:/own");
    EXPECT_THAT(made.env.at("PATH"), testing::EndsWith(":/opt/cellgate/packages/bin"));
}

TEST_F(launch_command_test, programs_of_a_virtual_environment_are_found_first) {
    program("/venv/bin/python");
    kernel_options options;
    options.spec = spec_in(spec_directory("/venv"), {"python"});
    auto shared = environment();
    shared.inherited_env = {{"PATH", "/usr/bin"}};
    EXPECT_EQ(make_launch_request(shared, options, "/b", "/o")->env["PATH"], root.path() + "/venv/bin:/usr/bin");
    options.env["PATH"] = "/chosen";
    EXPECT_EQ(make_launch_request(shared, options, "/b", "/o")->env["PATH"], "/chosen");
}

class forked_test : public launch_command_test {
  protected:
    forked_test() {
        kernel_program = program("/build/cellgate-kernel");
        program("/venv/bin/python3");
        options.id = "one";
        options.spec = spec_in(spec_directory("/venv"), {kernel_program, "-f", "{connection_file}"});
        options.spec.hints.prefix = root.path() + "/venv";
        options.spec.hints.preload = {"numpy", "matplotlib.pyplot"};
        options.mounts = {{"/data/home", "/home/user", true}};
        shared.package_dir = "/package";
        shared.helper_socket_dir = "/helper";
    }
    result<::kernel::launch_request> request() { return make_launch_request(shared, options, "/run/box", "/run/out"); }

    kernel_environment shared = environment();
    kernel_options options;
    std::string kernel_program;
};

TEST_F(forked_test, a_spec_with_a_prefix_is_forked_from_a_server_that_sees_only_what_is_the_same_for_all) {
    auto made = request();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(made->argv, ElementsAre(kernel_program, "-f", "/run/k/connection.json"));
    ASSERT_TRUE(made->zygote);
    EXPECT_THAT(made->zygote->argv, ElementsAre(kernel_program, "--zygote", "--prefix", root.path() + "/venv",
                                                "--preload", "numpy,matplotlib.pyplot,cellgate_kernel"));
    using mount = ::kernel::bind_mount;
    const auto venv = root.path() + "/venv", build = root.path() + "/build";
    std::vector<mount> wanted = {
        {"/package", "/opt/cellgate/python", false}, {build, build, false}, {venv, venv, false}};
    EXPECT_EQ(made->zygote->mounts, wanted);
    for (const auto& each : wanted) EXPECT_THAT(made->mounts, Contains(each)) << each.target;
    EXPECT_EQ(made->zygote->start_limit_ms, shared.limits.launch_timeout.count() / 3);
}

TEST_F(forked_test, every_kernel_of_a_spec_has_the_same_fork_server) {
    auto one = request();
    options.id = "two";
    options.spec.name = "python3";
    options.env = {{"KERNEL_USERNAME", "bob"}};
    options.mounts = {{"/data/other", "/home/user", true}};
    EXPECT_EQ(one->zygote, request()->zygote);
    EXPECT_EQ(one->zygote, *make_zygote_command(shared, options.spec));
}

TEST_F(forked_test, a_server_without_modules_to_import_is_not_told_any) {
    options.spec.hints.preload = {};
    shared.package_dir = {};
    EXPECT_EQ(request()->zygote->argv.size(), 4u);
}

TEST_F(forked_test, the_programs_of_the_prefix_are_found_first) {
    shared.inherited_env = {{"PATH", "/usr/bin"}};
    EXPECT_EQ(request()->env["PATH"], root.path() + "/venv/bin:/usr/bin");
}

TEST_F(forked_test, a_kernel_with_variables_that_count_when_a_process_starts_is_executed) {
    options.env = {{"PYTHONPATH", "/mnt/files"}};
    EXPECT_FALSE(request()->zygote);
    options.env = {{"MPLBACKEND", "agg"}};
    EXPECT_TRUE(request()->zygote);
    options.spec.env = {{"LD_PRELOAD", "libx.so"}};
    EXPECT_FALSE(request()->zygote);
    options.spec.env = {{"LC_ALL", "C"}};
    EXPECT_FALSE(request()->zygote);
}

TEST_F(forked_test, limits_go_with_the_request_and_libraries_start_as_many_threads_as_there_are_processors) {
    EXPECT_FALSE(request()->env.contains("OMP_NUM_THREADS"));
    options.limits = {2'500, 1 << 30, 64};
    auto made = request();
    EXPECT_EQ(made->limits, options.limits);
    EXPECT_EQ(made->env["OMP_NUM_THREADS"], "3");
    EXPECT_TRUE(made->zygote) << "which does not make it a kernel that must be executed";
    EXPECT_EQ(make_run_request(shared, options, {}).env["OPENBLAS_NUM_THREADS"], "3");
    options.env = {{"OMP_NUM_THREADS", "8"}};
    EXPECT_EQ(request()->env["OMP_NUM_THREADS"], "8");
}

TEST_F(forked_test, a_network_of_its_own_goes_with_the_way_out_of_it) {
    EXPECT_FALSE(request()->own_network);
    EXPECT_FALSE(request()->env.contains("https_proxy"));
    options.own_network = true;
    auto made = request();
    EXPECT_TRUE(made->own_network);
    EXPECT_TRUE(made->zygote);
    EXPECT_EQ(made->env["https_proxy"], "http://127.0.0.1:3128");
    EXPECT_EQ(make_run_request(shared, options, {}).env["HTTP_PROXY"], "http://127.0.0.1:3128");
    shared.inherited_env["https_proxy"] = "http://proxy.of.the.machine:8080";
    EXPECT_EQ(request()->env["https_proxy"], "http://127.0.0.1:3128") << "it cannot be reached from there";
    options.env = {{"https_proxy", "http://127.0.0.1:9999"}};
    EXPECT_EQ(request()->env["https_proxy"], "http://127.0.0.1:9999");
    EXPECT_EQ(request()->env["http_proxy"], "http://127.0.0.1:3128");
}

TEST_F(forked_test, the_environment_must_be_there) {
    options.spec.hints.prefix = root.path() + "/gone";
    auto made = request();
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, errc::kernel_start_failed);
    EXPECT_THAT(made.error().message, HasSubstr("metadata.cellgate.prefix"));
    EXPECT_FALSE(make_zygote_command(shared, options.spec));
}

TEST_F(forked_test, a_spec_without_a_prefix_is_executed) {
    options.spec.hints = {};
    EXPECT_FALSE(request()->zygote);
    EXPECT_FALSE(*make_zygote_command(shared, options.spec));
}

}  // namespace
}  // namespace gateway::kernels
