// The installer over real child processes: a shell script stands where a session's Python is.
#include "gateway/packages/installer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/await.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::packages {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test_support::await;
using testing::HasSubstr;

constexpr const char* installs_six =
    R"(echo '{"installed":[{"name":"Six","version":"1.2"},{"name":"tiny","version":"3"}],"refused":[]}')";

struct the_installer : testing::Test {
    asio::io_context io;
    asio::thread_pool pool{1};
    test_support::temporary_directory directory;
    installer_settings settings;
    std::unique_ptr<installer> made;
    std::vector<package_outcome> outcomes;

    the_installer() {
        settings.allow = {everything};
        settings.directory = at("packages");
        settings.package_dir = at("python");
        settings.inherited_env = {{"PATH", "/usr/bin:/bin"}};
    }
    ~the_installer() override {
        if (made) await(io, made->stop());
        pool.join();
    }
    std::string at(const std::string& name) const { return directory.path() + "/" + name; }
    std::string text(const std::string& name) const {
        std::ostringstream all;
        all << std::ifstream(at(name)).rdbuf();
        return all.str();
    }
    // What the session's Python does; its input is in the file input.json.
    void script(const std::string& body) {
        std::ofstream(at("python3")) << "#!/bin/sh\ncat > " << at("input.json") << "\n" << body << "\n";
        fs::permissions(at("python3"), fs::perms::owner_all);
    }
    installer& open() {
        made = std::make_unique<installer>(io.get_executor(), pool, settings);
        EXPECT_TRUE(made->start());
        return *made;
    }
    package_request request(std::vector<wanted_package> wanted, std::string session = "ses_1") const {
        return {std::move(session), at("python3"), at("site"), std::move(wanted), false};
    }
    package_outcome install(std::vector<wanted_package> wanted) {
        if (!made) open();
        return await(io, made->install(request(std::move(wanted))));
    }
    // In the background; what became of it is added to `outcomes`.
    void begin(const std::string& session, asio::cancellation_slot slot = {}) {
        auto keep = [this](std::exception_ptr, package_outcome outcome) { outcomes.push_back(std::move(outcome)); };
        asio::co_spawn(io, made->install(request({{"", "six"}}, session)), asio::bind_cancellation_slot(slot, keep));
    }
    // Also of what a child does, which is no event here.
    bool until(const std::function<bool()>& so) {
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!so() && std::chrono::steady_clock::now() < end) {
            io.restart();
            io.run_one_for(milliseconds(10));
        }
        return so();
    }
    bool is_staging_empty() const { return fs::is_empty(at("packages/staging")); }
};

bool is_alive(int pid) { return ::kill(pid, 0) == 0; }

TEST_F(the_installer, tells_what_was_installed_and_for_which_module) {
    script(installs_six);
    auto outcome = install({{"six.moves", "six"}});
    EXPECT_EQ(outcome.installed, (std::vector<installed_distribution>{{"Six", "1.2", "six.moves"}, {"tiny", "3", ""}}));
    EXPECT_TRUE(outcome.refused.empty());
    EXPECT_TRUE(is_staging_empty());
}

TEST_F(the_installer, says_what_is_wanted_and_where_it_goes) {
    script(installs_six);
    install({{"a", "six"}, {"b", "six"}, {"c", "tiny"}});
    auto input = json::parse(text("input.json"));
    EXPECT_EQ(input["requirements"], json({"six", "tiny"}));
    EXPECT_EQ(input["site"], at("site"));
    EXPECT_THAT(input["staging"].get<std::string>(), HasSubstr(at("packages/staging/pkg_")));
    EXPECT_EQ(input["upgrade"], false);
}

TEST_F(the_installer, starts_nothing_for_what_is_not_allowed) {
    settings.allow = {"six"};
    script("touch " + at("started") + "; exit 1");
    auto outcome = install({{"requets", "requets"}, {"", "git+https://x"}});
    ASSERT_EQ(outcome.refused.size(), 2U);
    EXPECT_EQ(outcome.refused[0].what, "requets");
    EXPECT_THAT(outcome.refused[0].reason, HasSubstr("packages.allow"));
    EXPECT_THAT(outcome.refused[1].reason, HasSubstr("is not a name with versions"));
    EXPECT_FALSE(fs::exists(at("started")));
}

TEST_F(the_installer, installs_what_is_allowed_beside_what_is_not) {
    settings.allow = {"six"};
    script(installs_six);
    auto outcome = install({{"six", "six"}, {"other", "other"}});
    EXPECT_EQ(outcome.installed.size(), 2U);
    ASSERT_EQ(outcome.refused.size(), 1U);
    EXPECT_EQ(outcome.refused[0].what, "other");
}

TEST_F(the_installer, passes_reasons_on) {
    script(R"(echo '{"installed":[],"refused":[{"requirement":"six","reason":"no wheel"}]}')");
    EXPECT_EQ(install({{"six.moves", "six"}}).refused, (std::vector<refused_package>{{"six.moves", "no wheel"}}));
}

TEST_F(the_installer, shows_urls_to_no_other_user_of_the_machine) {
    settings.index.index_url = "https://user:secret@index.example/simple";
    script("env > " + at("env") + "; echo \"$0 $*\" > " + at("command") + "\n" + installs_six);
    install({{"", "six"}});
    EXPECT_THAT(text("env"), HasSubstr("PIP_INDEX_URL=https://user:secret@index.example/simple"));
    EXPECT_EQ(text("command"), at("python3") + " -I " + at("python") + "/cellgate_installer\n");
    EXPECT_EQ(text("input.json").find("secret"), std::string::npos);
}

TEST_F(the_installer, gives_a_reason_when_its_program_fails) {
    script("exit 3");
    auto outcome = install({{"six", "six"}});
    ASSERT_EQ(outcome.refused.size(), 1U);
    EXPECT_THAT(outcome.refused[0].reason, HasSubstr("the gateway's log"));
}

TEST_F(the_installer, gives_a_reason_when_there_is_no_such_program) {
    EXPECT_EQ(install({{"six", "six"}}).refused.size(), 1U);
}

TEST_F(the_installer, kills_pip_and_its_children_at_the_deadline) {
    settings.deadline = milliseconds(1'500);
    script("sleep 600 & echo $! > " + at("child") + "; sleep 600");
    auto outcome = install({{"six", "six"}});
    ASSERT_EQ(outcome.refused.size(), 1U);
    EXPECT_THAT(outcome.refused[0].reason, HasSubstr("packages.deadline_s"));
    int child = std::stoi(text("child"));
    EXPECT_TRUE(until([&] { return !is_alive(child); }));
    EXPECT_TRUE(is_staging_empty());
}

TEST_F(the_installer, ends_pip_when_nobody_waits_any_more) {
    script("echo $$ > " + at("pid") + "; sleep 600");
    open();
    asio::cancellation_signal interrupt;
    begin("ses_1", interrupt.slot());
    ASSERT_TRUE(until([&] { return !text("pid").empty(); }));
    interrupt.emit(asio::cancellation_type::all);
    ASSERT_TRUE(until([&] { return outcomes.size() == 1 && !is_alive(std::stoi(text("pid"))); }));
    EXPECT_TRUE(until([&] { return is_staging_empty(); }));
}

// Each run waits until it is let go, and leaves its name: how many there are at a time can be counted.
struct several_installations : the_installer {
    several_installations() {
        script("touch " + at("started.$$") + "; while ! [ -e " + at("go") + " ]; do sleep 0.02; done\n" + installs_six);
    }
    long started() const {
        long count = 0;
        for (const auto& each : fs::directory_iterator(directory.path()))
            count += each.path().filename().string().starts_with("started.");
        return count;
    }
    void let_go() { std::ofstream(at("go")) << ""; }
};

TEST_F(several_installations, of_one_session_follow_each_other) {
    settings.at_once = 5;
    open();
    begin("ses_1");
    begin("ses_1");
    begin("ses_2");
    ASSERT_TRUE(until([&] { return started() == 2; }));  // of two sessions
    let_go();
    ASSERT_TRUE(until([&] { return outcomes.size() == 3; }));
    EXPECT_EQ(started(), 3);
    for (const auto& each : outcomes) EXPECT_EQ(each.installed.size(), 2U);
}

TEST_F(several_installations, are_at_most_as_many_at_once_as_configured) {
    settings.at_once = 1;
    settings.deadline = milliseconds(60'000);
    open();
    for (const auto* each : {"ses_1", "ses_2", "ses_3"}) begin(each);
    ASSERT_TRUE(until([&] { return started() == 1; }));
    let_go();
    ASSERT_TRUE(until([&] { return outcomes.size() == 3; }));
}

TEST_F(several_installations, end_with_the_gateway) {
    settings.at_once = 1;
    open();
    begin("ses_1");
    begin("ses_2");
    ASSERT_TRUE(until([&] { return started() == 1; }));
    await(io, made->stop());
    ASSERT_TRUE(until([&] { return outcomes.size() == 2; }));
    for (const auto& each : outcomes) EXPECT_THAT(each.refused.at(0).reason, HasSubstr("stopping"));
}

TEST_F(the_installer, clears_what_an_earlier_one_left) {
    fs::create_directories(at("packages/staging/pkg_old/deep"));
    open();
    EXPECT_TRUE(is_staging_empty());
}

}  // namespace
}  // namespace gateway::packages
