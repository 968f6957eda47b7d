#include "gateway/kernels/pool.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/gateway/kernels/kernel_fixture.hpp"

namespace gateway::kernels {
namespace {

using behaviour = fake_launcher::behaviour;
using testing::ElementsAre;
namespace fs = std::filesystem;

class pool_test : public kernel_fixture {
  protected:
    pool_test() {
        shared.runtime_dir = root.path() + "/run";
        fs::create_directory(shared.runtime_dir);
        install("python3", "python");
        install("bash", "bash");
        settings.settle = settings.settle_forked = milliseconds(0);
        settings.first_backoff = milliseconds(1);
    }

    void install(const std::string& name, const std::string& language, const std::string& more = "") {
        auto directory = root.path() + "/specs/" + name;
        fs::create_directories(directory);
        std::ofstream(directory + "/kernel.json")
            << R"({"argv":["/bin/true"],"display_name":"X","language":")" << language << "\"" << more << "}";
    }
    // Our own kernel, forked from an environment that it can be seen to change.
    void install_forked(const std::string& name) {
        fs::create_directories(root.path() + "/venv/bin");
        fs::create_directories(site_packages());
        std::ofstream(root.path() + "/venv/bin/python3") << "#!/bin/sh\n";
        fs::permissions(root.path() + "/venv/bin/python3", fs::perms::owner_all);
        install(name, "python", R"(,"metadata":{"cellgate":{"prefix":")" + root.path() + R"(/venv"}})");
    }
    std::string site_packages() const { return root.path() + "/venv/lib/python3.11/site-packages"; }
    // A pool of `size` kernels, all ready.
    void fill(const std::string& name, int size) { fill(name, size, static_cast<std::size_t>(size)); }
    void fill(const std::string& name, int size, std::size_t ready) {
        begin(name, size);
        ASSERT_TRUE(until([&] { return warm->ready(name) == ready; }));
    }
    void begin(const std::string& name, int size) {
        settings.sizes.push_back({name, size});
        auto make = [this](const kernelspec& spec, bool own_network) -> result<kernel_options> {
            auto made = options();
            made.own_network = own_network;
            made.spec = spec;
            made.env = {{"BASE", "1"}};
            return made;
        };
        auto drop = [this](const kernel_options& what) { dropped.insert(what.id); };
        warm = std::make_unique<pool>(shared, specs, settings, make, drop);
        warm->start();
    }
    std::optional<pooled_kernel> take(const pool_wish& wish) { return warm->take(wish); }

    kernelspec_store specs{{root.path() + "/specs"}};
    pool_settings settings;
    std::set<std::string> dropped;
    std::unique_ptr<pool> warm;
};

TEST_F(pool_test, a_ready_kernel_is_handed_out_and_replaced) {
    fill("bash", 2);
    auto taken = take({"bash", {{"BASE", "1"}}});
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->running->state(), kernel_state::idle);
    EXPECT_EQ(taken->running->id(), taken->options.id);
    EXPECT_TRUE(until([&] { return warm->ready("bash") == 2; }));
    EXPECT_EQ(processes.alive(), 3u);
    taken->running->set_listener(listener);
    execute(*taken->running, "hello");
    EXPECT_TRUE(until_event("execute_reply"));
}

TEST_F(pool_test, kernels_are_started_one_at_a_time) {
    processes.next(behaviour::hangs, 3);
    begin("bash", 3);
    settle();
    EXPECT_EQ(processes.children().size(), 1u);
}

TEST_F(pool_test, a_wish_that_does_not_fit_gets_nothing) {
    fill("bash", 1);
    EXPECT_FALSE(take({"python3", {{"BASE", "1"}}}));
    EXPECT_FALSE(take({"none", {{"BASE", "1"}}}));
    EXPECT_FALSE(take({"bash", {{"BASE", "1"}}, "/work"}));
    EXPECT_FALSE(take({"bash", {{"BASE", "1"}}, "/home/user", true}));
    EXPECT_FALSE(take({"bash", {{"BASE", "2"}}}));
    EXPECT_FALSE(take({"bash", {}}));
    EXPECT_EQ(warm->ready("bash"), 1u);
}

TEST_F(pool_test, kernels_of_both_kinds_of_network_are_kept_apart) {
    settings.sizes.push_back({"bash", 1, true});
    fill("bash", 1, 2);
    auto taken = take({"bash", {{"BASE", "1"}}, "/home/user", true});
    ASSERT_TRUE(taken);
    EXPECT_TRUE(taken->options.own_network);
    EXPECT_FALSE(take({"bash", {{"BASE", "1"}}, "/home/user", true}));
    EXPECT_TRUE(take({"bash", {{"BASE", "1"}}}));
}

TEST_F(pool_test, a_python_kernel_is_taken_also_for_another_environment) {
    fill("python3", 1);
    auto taken = take({"python", {{"KERNEL_USERNAME", "bob"}}});
    ASSERT_TRUE(taken);
    EXPECT_THAT(taken->options.env, ElementsAre(testing::Pair("BASE", "1")));  // as it was started
}

TEST_F(pool_test, what_only_counts_when_a_process_starts_cannot_come_by_message) {
    fill("python3", 1);
    for (const char* name : {"PYTHONPATH", "LD_LIBRARY_PATH", "LC_ALL", "LANG", "TZ", "JUPYTER_PATH"})
        EXPECT_FALSE(take({"python3", {{"BASE", "1"}, {name, "x"}}})) << name;
    EXPECT_EQ(warm->ready("python3"), 1u);
}

TEST_F(pool_test, a_kernel_that_dies_in_the_pool_is_replaced) {
    fill("bash", 1);
    processes.end(processes.latest(), SIGKILL);
    ASSERT_TRUE(until([&] { return dropped.size() == 1; }));
    ASSERT_TRUE(until([&] { return warm->ready("bash") == 1; }));
    EXPECT_EQ(processes.alive(), 1u);
    EXPECT_TRUE(take({"bash", {{"BASE", "1"}}}));
}

TEST_F(pool_test, a_kernel_that_does_not_start_is_tried_again_later) {
    shared.limits.restart_limit = 0;
    processes.next(behaviour::exits, 3);
    fill("bash", 1);
    EXPECT_EQ(dropped.size(), 3u);
}

TEST_F(pool_test, a_spec_that_changed_makes_its_kernels_stale) {
    fill("bash", 1);
    install("bash", "bash", R"(,"env":{"NEW":"1"})");
    fs::last_write_time(root.path() + "/specs", fs::file_time_type::clock::now());
    EXPECT_FALSE(take({"bash", {{"BASE", "1"}}}));
    ASSERT_TRUE(until([&] { return dropped.size() == 1 && warm->ready("bash") == 1; }));
    auto taken = take({"bash", {{"BASE", "1"}}});
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->options.spec.env.at("NEW"), "1");
}

TEST_F(pool_test, kernels_that_are_forked_are_started_a_few_at_a_time) {
    install_forked("cellgate");
    settings.forked_at_once = 3;
    processes.next(behaviour::hangs, 5);
    settings.sizes.push_back({"bash", 2});
    begin("cellgate", 5);
    settle();
    EXPECT_EQ(processes.children().size(), 4u);  // and one of the others
    processes.release();
}

TEST_F(pool_test, a_kernel_is_handed_out_under_every_name_that_it_has) {
    install_forked("cellgate");
    fill("cellgate", 3);
    for (const char* name : {"cellgate", "python3", "python"}) {
        auto taken = take({name, {{"BASE", "1"}}});
        ASSERT_TRUE(taken) << name;
        EXPECT_EQ(taken->running->spec().name, name == std::string("python") ? "python3" : name);
        EXPECT_EQ(processes.children().front().request.zygote->argv.back(), root.path() + "/venv");
    }
}

TEST_F(pool_test, two_names_of_a_kernel_fill_its_pool_together) {
    install_forked("cellgate");
    settings.sizes.push_back({"python3", 1});
    fill("cellgate", 1, 2);
    EXPECT_EQ(warm->ready("python3"), 2u);
    EXPECT_TRUE(take({"cellgate", {{"BASE", "1"}}}));
    EXPECT_TRUE(take({"cellgate", {{"BASE", "1"}}}));
}

TEST_F(pool_test, a_package_that_was_installed_makes_forked_kernels_stale) {
    install_forked("cellgate");
    fill("cellgate", 2);
    fs::last_write_time(site_packages(), fs::last_write_time(site_packages()) + std::chrono::seconds(1));
    EXPECT_FALSE(take({"cellgate", {{"BASE", "1"}}}));
    ASSERT_TRUE(until([&] { return dropped.size() == 2 && warm->ready("cellgate") == 2; }));
    EXPECT_TRUE(take({"cellgate", {{"BASE", "1"}}}));
}

TEST_F(pool_test, a_spec_that_is_not_there_keeps_nobody_from_asking) {
    begin("none", 1);
    settle();
    EXPECT_FALSE(take({"none", {}}));
    EXPECT_EQ(warm->ready("none"), 0u);
}

TEST_F(pool_test, stopping_leaves_no_process_and_no_directory) {
    fill("bash", 2);
    processes.next(behaviour::hangs);
    take({"bash", {{"BASE", "1"}}});
    settle();
    bool stopped = false;
    asio::co_spawn(io, warm->stop(), [&](std::exception_ptr) { stopped = true; });
    settle();
    processes.release();
    ASSERT_TRUE(until([&] { return stopped; }));
    EXPECT_EQ(processes.alive(), 0u);
    EXPECT_EQ(dropped.size(), 2u);
    EXPECT_TRUE(fs::is_empty(shared.runtime_dir));
    EXPECT_FALSE(take({"bash", {{"BASE", "1"}}}));
}

TEST_F(pool_test, stopping_says_that_the_gateway_ends_its_kernels) {
    fill("bash", 2);
    bool stopped = false;
    testing::internal::CaptureStderr();
    asio::co_spawn(io, warm->stop(), [&](std::exception_ptr) { stopped = true; });
    EXPECT_TRUE(until([&] { return stopped; }));
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, testing::HasSubstr("(bash): dead gateway_ended"));
    EXPECT_THAT(log, testing::Not(testing::HasSubstr("culled")));
}

TEST_F(pool_test, a_pool_may_go_while_it_starts_a_kernel) {
    processes.next(behaviour::hangs);
    begin("bash", 1);
    settle();
    warm.reset();
    processes.release();
    EXPECT_TRUE(until([&] { return processes.alive() == 0; }));
}

}  // namespace
}  // namespace gateway::kernels
