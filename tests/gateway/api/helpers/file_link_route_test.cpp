#include "gateway/api/helpers/file_link_route.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/gateway/api/helpers/helper_client.hpp"
#include "tests/support/fake_agent_session.hpp"

namespace gateway::api::helpers {
namespace {

struct file_link_route : helper_client {
    asio::thread_pool pool{1};
    test_support::fake_agent_registry registry{io.get_executor(), pool};
    std::shared_ptr<test_support::fake_agent_session> session = registry.add({});
    files::links links{files::link_signer::make(), {}};

    file_link_route() {
        links.set_own_url("http://127.0.0.1:8888");
        std::ofstream(session->files_directory() + "/a b") << "text";
    }
    void add_routes(endpoint& to) override { add_file_link_route(to, registry, links, pool); }
};

TEST_F(file_link_route, makes_a_link_to_a_file_of_the_session) {
    auto got = send(post("/v1/files/link", R"({"path":"/mnt/files/a b"})"));
    ASSERT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(got.body["path"], "a b");
    EXPECT_EQ(got.body["size"], 4);
    const auto url = got.body["url"].get<std::string>();
    EXPECT_EQ(url.find("http://127.0.0.1:8888/files/ses_1/a%20b?expires="), 0U) << url;
    EXPECT_NE(url.find("&signature="), url.npos);
}

TEST_F(file_link_route, refuses_what_is_no_file_of_it) {
    expect_refusal(send(post("/v1/files/link", R"({"path":"missing"})")), 404, "file_not_found", "missing");
    expect_refusal(send(post("/v1/files/link", R"({"path":"../a"})")), 400, "invalid_request", "..");
    expect_refusal(send(post("/v1/files/link", R"({"path":"/"})")), 400, "invalid_request", "path");
    expect_refusal(send(post("/v1/files/link", R"({"path":7})")), 400, "invalid_request", "path");
    expect_refusal(send(post("/v1/files/link", R"({})")), 400, "invalid_request", "path");
    expect_refusal(send(post("/v1/files/link", R"([])")), 400, "invalid_request", "object");
    expect_refusal(send(post("/v1/files/link", R"({"path":"a b","session":"ses_2"})")), 400, "unknown_field",
                   "session");
    for (const char* life : {"0", "-1", "604801", "1.5", "\"60\"", "99999999999999999999"})
        expect_refusal(send(post("/v1/files/link", std::string(R"({"path":"a b","expires_in_s":)") + life + "}")), 400,
                       "invalid_request", "storage.link_max_s");
}

TEST_F(file_link_route, wants_a_sessions_key) {
    expect_refusal(send(post("/v1/files/link", R"({"path":"a b"})", "bad")), 401, "unauthorized", "key");
}

}  // namespace
}  // namespace gateway::api::helpers
