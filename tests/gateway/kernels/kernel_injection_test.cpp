#include <nlohmann/json.hpp>

#include "gateway/kernels/own_messages.hpp"
#include "tests/gateway/kernels/kernel_fixture.hpp"

namespace gateway::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using json = nlohmann::json;

class kernel_injection_test : public kernel_fixture {
  protected:
    kernel_injection_test() { shared.package_dir = "/package"; }
    json injected_metadata() {
        auto request = processes.kernel().next_request("execute_request");
        return request ? json::parse(request->metadata) : json();
    }
};

TEST_F(kernel_injection_test, a_python_kernel_gets_the_package_before_it_is_idle_and_nobody_sees_it) {
    auto what = options("python");
    what.preload_metadata = R"({"tool_timeout_s":5})";
    start(what);
    settle();
    EXPECT_THAT(listener.events, ElementsAre("idle"));
    auto request = processes.kernel().next_request("execute_request");
    ASSERT_TRUE(request);
    auto content = json::parse(request->content);
    EXPECT_EQ(content["silent"], true);
    EXPECT_EQ(content["store_history"], false);
    EXPECT_EQ(json::parse(request->metadata)["cellgate"],
              json({{"helper_key", "the-helper-key"}, {"socket", "/run/cellgate/helper.sock"}, {"tool_timeout_s", 5}}));
}

TEST_F(kernel_injection_test, the_helper_key_is_in_metadata_only) {
    processes.prepare_kernel = [](auto& fake) {
        fake.when("kernel_info_request", [](auto& kernel, const auto& request) {
            kernel.busy(request);
            kernel.reply(request, R"({"status":"ok","implementation":"ipython"})");
        });
    };
    start(options("python"));
    auto request = processes.kernel().next_request("execute_request");
    ASSERT_TRUE(request);
    EXPECT_THAT(request->content, Not(HasSubstr("the-helper-key")));
    const auto& launched = processes.latest().request;
    for (const auto& [name, value] : launched.env) EXPECT_THAT(value, Not(HasSubstr("the-helper-key"))) << name;
    for (const auto& each : launched.argv) EXPECT_THAT(each, Not(HasSubstr("the-helper-key")));
}

TEST_F(kernel_injection_test, every_new_process_gets_the_package) {
    auto& kernel = start(options("python"));
    ASSERT_TRUE(run(kernel.restart(end_reason::restarted, true)));
    EXPECT_EQ(injected_metadata()["cellgate"]["helper_key"], "the-helper-key");
}

TEST_F(kernel_injection_test, a_kernel_that_refuses_the_code_runs_without_it) {
    processes.prepare_kernel = [](auto& fake) {
        fake.when("execute_request", [](auto& kernel, const auto& request) {
            kernel.busy(request);
            kernel.print(request, "ModuleNotFoundError: No module named 'cellgate_kernel'", "stderr");
            kernel.reply(request, R"({"status":"error","ename":"ModuleNotFoundError","evalue":"cellgate_kernel"})");
            kernel.idle(request);
        });
    };
    start(options("python"));
    settle();
    EXPECT_THAT(listener.events, ElementsAre("idle"));
}

TEST_F(kernel_injection_test, other_languages_get_no_code) {
    start(options("R"));
    EXPECT_FALSE(processes.kernel().next_request("execute_request", std::chrono::milliseconds(0)));
}

TEST_F(kernel_injection_test, configuring_sends_what_changes_and_keeps_it_for_restarts) {
    auto what = options("python");
    what.env = {{"GOES", "1"}, {"STAYS", "1"}};
    auto& kernel = start(what);
    injected_metadata();
    ASSERT_TRUE(run(kernel.configure({{"STAYS", "1"}, {"NEW", "it's \"new\" \xc3\xa9"}}, "{}")));
    auto request = processes.kernel().next_request("execute_request");
    ASSERT_TRUE(request);
    EXPECT_THAT(json::parse(request->content)["code"].get<std::string>(), HasSubstr("cellgate_kernel.configure("));
    settle();
    EXPECT_THAT(listener.events, ElementsAre("idle"));
    ASSERT_TRUE(run(kernel.restart(end_reason::restarted, true)));
    EXPECT_EQ(processes.latest().request.env.at("NEW"), "it's \"new\" \xc3\xa9");
    EXPECT_FALSE(processes.latest().request.env.contains("GOES"));
}

TEST_F(kernel_injection_test, what_counts_for_cells_comes_with_the_key_and_can_be_changed_later) {
    auto what = options("python");
    what.cell_defaults = R"({"error_correction":"report"})";
    auto& kernel = start(what);
    auto first = injected_metadata()["cellgate"];
    EXPECT_EQ(first["error_correction"], "report");
    EXPECT_EQ(first["helper_key"], "the-helper-key");
    ASSERT_TRUE(run(kernel.configure({}, R"({"error_correction":false})")));
    auto request = processes.kernel().next_request("execute_request");
    ASSERT_TRUE(request);
    EXPECT_THAT(json::parse(request->content)["code"].get<std::string>(),
                HasSubstr(R"(\"cell_defaults\":{\"error_correction\":false})"));
    ASSERT_TRUE(run(kernel.restart(end_reason::restarted, true)));
    EXPECT_EQ(injected_metadata()["cellgate"]["error_correction"], false);
}

TEST_F(kernel_injection_test, a_configuration_that_fails_is_told) {
    auto& kernel = start(options("python"));
    processes.kernel().when("execute_request", [](auto& fake, const auto& request) {
        fake.reply(request, R"({"status":"error","ename":"OSError","evalue":"no"})");
    });
    auto outcome = run(kernel.configure({{"A", "1"}}, "{}"));
    ASSERT_FALSE(outcome);
    EXPECT_THAT(outcome.error().message, HasSubstr("OSError: no"));
}

TEST_F(kernel_injection_test, only_python_kernels_take_a_configuration) {
    auto& kernel = start(options("R"));
    EXPECT_FALSE(run(kernel.configure({{"A", "1"}}, "{}")));
}

TEST(own_messages_test, a_reply_is_an_error_unless_its_status_is_ok) {
    EXPECT_EQ(reply_error(R"({"status":"ok"})"), "");
    EXPECT_EQ(reply_error(R"({"status":"error","ename":"E","evalue":"v"})"), "E: v");
    EXPECT_EQ(reply_error(R"({"status":"aborted"})"), "status aborted");
    EXPECT_EQ(reply_error("not json"), "status missing");
    EXPECT_EQ(reply_error(R"({"status":7})"), "status missing");
}

TEST(own_messages_test, the_key_is_in_the_code_only_for_kernels_that_hide_metadata) {
    auto hidden = json::parse(make_injection("s", "the-key", "{}", "{}", settings_place::metadata).content)["code"]
                      .get<std::string>();
    EXPECT_EQ(hidden.find("the-key"), std::string::npos);
    auto shown = json::parse(make_injection("s", "the-key", "{}", "{}", settings_place::code).content)["code"]
                     .get<std::string>();
    EXPECT_NE(shown.find(R"(__import__('json').loads("{\"helper_key\":\"the-key\")"), std::string::npos) << shown;
}

TEST(own_messages_test, only_ipykernel_shows_metadata_to_its_code) {
    EXPECT_EQ(settings_place_of(R"({"implementation":"ipython"})"), settings_place::metadata);
    for (const char* reply : {R"({"implementation":"xeus-python"})", "{}", "", "not json"})
        EXPECT_EQ(settings_place_of(reply), settings_place::code) << reply;
}

TEST(own_messages_test, metadata_that_is_no_object_is_left_out) {
    auto made = make_injection("s", "key", "[1]", "{}", settings_place::metadata);
    EXPECT_EQ(json::parse(made.metadata)["cellgate"].size(), 2u);
}

}  // namespace
}  // namespace gateway::kernels
