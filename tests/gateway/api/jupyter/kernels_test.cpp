#include <gmock/gmock.h>

#include "tests/gateway/api/jupyter/fixture.hpp"

namespace gateway::api::jupyter {
namespace {

using sessions::origin;
using testing::HasSubstr;

class kernels : public jupyter_routes {
  protected:
    std::string message_of(const answer& got) { return got.body()["message"]; }
    std::string path_of(const std::string& id, const std::string& tail = "") { return "/api/kernels/" + id + tail; }
};

TEST_F(kernels, tells_the_version_without_a_key) {
    serve();
    EXPECT_EQ(scope_of("GET", "/api"), http::scope::none);
    EXPECT_EQ(call("GET", "/api").body()["version"], "2.17.0");
}

TEST_F(kernels, starts_a_kernel_in_a_session_of_its_own) {
    options.base_url = "/base/";
    serve();
    auto got = call("POST", "/api/kernels", R"({"name":"ir","env":{"KERNEL_WORKING_DIR":"/data"}})");
    EXPECT_EQ(got.status, 201);
    std::string id = got.body()["id"];
    EXPECT_EQ(got.header("Location"), "/base/api/kernels/" + id);
    const auto& options = registry.list().at(0)->options();
    EXPECT_EQ(options.user_id, "ana");
    EXPECT_EQ(options.kernel_name, "ir");
    EXPECT_EQ(options.made_by, origin::jupyter);
    EXPECT_EQ(options.working_dir, "/data");
    EXPECT_EQ(options.env.at("KERNEL_GATEWAY"), "1");
}

TEST_F(kernels, starts_the_forced_kernel_whatever_was_asked_for) {
    options.force_kernel_name = "python3";
    serve();
    EXPECT_EQ(call("POST", "/api/kernels", R"({"name":"ir"})").body()["name"], "python3");
}

TEST_F(kernels, lets_an_admin_start_a_kernel_for_the_user_that_it_names) {
    serve();
    as("default", http::scope::admin);
    call("POST", "/api/kernels", R"({"env":{"KERNEL_USERNAME":"bob"}})");
    as("ana");
    call("POST", "/api/kernels", R"({"env":{"KERNEL_USERNAME":"bob"}})");
    EXPECT_EQ(registry.list().at(0)->options().user_id, "bob");
    EXPECT_EQ(registry.list().at(1)->options().user_id, "ana");
}

TEST_F(kernels, passes_the_registrys_refusals_on) {
    serve();
    registry.create_fails = failure{errc::limit_reached, "kernels.max = 2 is reached"};
    auto limit = call("POST", "/api/kernels");
    EXPECT_EQ(limit.status, 403);
    EXPECT_EQ(limit.body()["reason"], "Resource Limit");
    EXPECT_THAT(message_of(limit), HasSubstr("kernels.max"));
    registry.create_fails = failure{errc::kernelspec_not_found, "there is ir, python3"};
    EXPECT_EQ(call("POST", "/api/kernels", R"({"name":"x"})").status, 404);
    registry.create_fails = failure{errc::conflict, "in use"};
    EXPECT_EQ(call("POST", "/api/kernels").status, 409);
}

TEST_F(kernels, refuses_a_bad_body_with_400) {
    serve();
    auto got = call("POST", "/api/kernels", R"({"env":{"KERNEL_A":"$x"}})");
    EXPECT_EQ(got.status, 400);
    EXPECT_THAT(message_of(got), HasSubstr("KERNEL_A"));
    EXPECT_TRUE(registry.list().empty());
}

TEST_F(kernels, needs_the_session_scope_to_start_or_end_one) {
    serve();
    auto own = add_session("ana", origin::jupyter);
    as("ana", http::scope::execute);
    EXPECT_EQ(call("POST", "/api/kernels").status, 403);
    EXPECT_EQ(call("DELETE", path_of(own->kernel_id())).status, 403);
    EXPECT_EQ(call("POST", path_of(own->kernel_id(), "/interrupt")).status, 204);
    EXPECT_EQ(call("POST", path_of(own->kernel_id(), "/restart")).status, 200);
}

TEST_F(kernels, lists_the_callers_own_but_not_the_own_ids_of_agent_sessions) {
    serve();
    auto labs = add_session("ana", origin::jupyter);
    auto agents = add_session("ana", origin::agent);
    add_session("bob", origin::jupyter);
    auto got = call("GET", "/api/kernels").body();
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0]["id"], labs->kernel_id());
    EXPECT_EQ(call("GET", path_of(agents->kernel_id())).status, 200);
    as("admin", http::scope::admin);
    EXPECT_EQ(call("GET", "/api/kernels").body().size(), 2u);
}

TEST_F(kernels, names_the_setting_that_switched_listing_off) {
    options.listing = false;
    serve();
    auto got = call("GET", "/api/kernels");
    EXPECT_EQ(got.status, 403);
    EXPECT_THAT(message_of(got), HasSubstr("kernels.listing"));
}

TEST_F(kernels, hides_another_users_kernel_on_every_route) {
    serve();
    auto id = add_session("bob", origin::jupyter)->kernel_id();
    for (auto [method, tail] : {std::pair{"GET", ""}, {"DELETE", ""}, {"POST", "/interrupt"}, {"POST", "/restart"}}) {
        auto got = call(method, path_of(id, tail));
        EXPECT_EQ(got.status, 404) << method << tail;
        EXPECT_EQ(got.body()["error"]["code"], "kernel_not_found");
    }
    EXPECT_TRUE(registry.removed.empty());
}

TEST_F(kernels, tells_why_a_known_kernel_is_gone_row_44) {
    serve();
    registry.tombstones["8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5f"] = "culled";
    auto got = call("GET", path_of("8f14e45f-ceea-467e-bd5d-7f1b2c3d4e5f"));
    EXPECT_EQ(got.status, 404);
    EXPECT_THAT(message_of(got), HasSubstr("culled"));
}

TEST_F(kernels, ends_the_session_of_a_kernel_that_a_lab_started) {
    serve();
    auto session = add_session("ana", origin::jupyter);
    EXPECT_EQ(call("DELETE", path_of(session->kernel_id())).status, 204);
    EXPECT_EQ(registry.removed, std::vector<std::string>{session->id()});
    auto again = call("DELETE", path_of(session->kernel_id()));
    EXPECT_EQ(again.status, 404);
    EXPECT_THAT(message_of(again), HasSubstr("session_ended"));
}

TEST_F(kernels, does_not_end_an_agents_session_even_for_an_admin) {
    serve();
    auto session = add_session("ana", origin::agent);
    EXPECT_EQ(call("DELETE", path_of(session->kernel_id())).status, 403);
    as("admin", http::scope::admin);
    auto got = call("DELETE", path_of(session->kernel_id()));
    EXPECT_EQ(got.status, 403);
    EXPECT_THAT(message_of(got), HasSubstr("/api/v1/sessions/" + session->id()));
    EXPECT_TRUE(registry.removed.empty());
}

TEST_F(kernels, enters_an_agents_session_through_an_alias_and_leaves_it_alive) {
    serve();
    auto session = add_session("ana", origin::agent, "research");
    as("ana", http::scope::execute);
    auto got = call("POST", "/api/kernels", R"({"name":"attach-)" + session->id() + "\"}");
    ASSERT_EQ(got.status, 201);
    std::string alias = got.body()["id"];
    EXPECT_NE(alias, session->kernel_id());
    EXPECT_EQ(got.body()["name"], "attach-" + session->id());
    EXPECT_EQ(call("GET", "/api/kernels").body().size(), 1u);
    EXPECT_EQ(call("POST", path_of(alias, "/interrupt")).status, 204);
    EXPECT_EQ(session->interrupts, 1);
    EXPECT_EQ(call("DELETE", path_of(alias)).status, 204);
    EXPECT_EQ(registry.detached, std::vector<std::string>{alias});
    EXPECT_EQ(registry.list().size(), 1u);
}

TEST_F(kernels, does_not_attach_to_another_users_session_or_to_none) {
    serve();
    auto session = add_session("bob", origin::agent);
    EXPECT_EQ(call("POST", "/api/kernels", R"({"name":"attach-)" + session->id() + "\"}").status, 404);
    EXPECT_EQ(call("POST", "/api/kernels", R"({"name":"attach-ses_nowhere"})").status, 404);
}

TEST_F(kernels, answers_interrupt_with_204_and_restart_with_the_model) {
    serve();
    auto session = add_session("ana", origin::jupyter);
    EXPECT_EQ(call("POST", path_of(session->kernel_id(), "/interrupt"), "{}").status, 204);
    auto restarted = call("POST", path_of(session->kernel_id(), "/restart"), "{}");
    EXPECT_EQ(restarted.status, 200);
    EXPECT_EQ(restarted.body()["id"], session->kernel_id());
    session->restart_fails = failure{errc::kernel_start_failed, "python3 ended with status 1"};
    EXPECT_EQ(call("POST", path_of(session->kernel_id(), "/restart")).status, 500);
}

TEST_F(kernels, counts_what_the_caller_sees_in_the_status) {
    serve();
    add_session("ana", origin::jupyter)->connected = 2;
    add_session("bob", origin::jupyter)->connected = 5;
    auto got = call("GET", "/api/status").body();
    EXPECT_EQ(got["kernels"], 1);
    EXPECT_EQ(got["connections"], 2);
    EXPECT_THAT(got["started"].get<std::string>(), testing::EndsWith("Z"));
    EXPECT_THAT(got["last_activity"].get<std::string>(), testing::EndsWith("Z"));
}

}  // namespace
}  // namespace gateway::api::jupyter
