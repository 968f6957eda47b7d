#include "gateway/api/helpers/correction_route.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/gateway/api/helpers/helper_client.hpp"
#include "tests/support/fake_agent_session.hpp"

namespace gateway::api::helpers {
namespace {

struct correction_route : helper_client {
    asio::thread_pool pool{1};
    test_support::fake_agent_registry registry{io.get_executor(), pool};
    std::shared_ptr<test_support::fake_agent_session> session = registry.add({});

    void add_routes(endpoint& to) override { add_correction_route(to, registry); }

    answer tell(const std::string& key = "good") {
        return send(post("/v1/corrections",
                         R"({"parent":"m","line":3,"column":4,"written":"a","used":"b","kind":"field_name"})", key));
    }
};

TEST_F(correction_route, tells_the_session_whose_key_it_has) {
    registry.add({});
    auto got = tell();
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, json::object());
    ASSERT_EQ(session->corrected.size(), 1u);
    const auto& [parent, what] = session->corrected[0];
    EXPECT_EQ(parent, "m");
    EXPECT_EQ(std::tuple(what.line, what.column, what.written, what.used, what.kind),
              std::tuple(3u, 4u, "a", "b", "field_name"));
    EXPECT_EQ(tell("bad").status, 401);
}

TEST_F(correction_route, says_that_there_is_no_such_cell) {
    session->refuses = failure{errc::cell_not_found, "no cell"};
    auto got = tell();
    EXPECT_EQ(got.status, 404);
    EXPECT_EQ(got.body["error"]["code"], "cell_not_found");
}

TEST_F(correction_route, says_when_it_is_enough) {
    session->refuses = failure{errc::limit_reached, "1000 are kept"};
    auto got = tell();
    EXPECT_EQ(got.status, 429);
    EXPECT_EQ(got.body["error"]["status"], 429);
}

TEST_F(correction_route, refuses_what_is_no_correction) {
    auto got = send(post("/v1/corrections", R"({"parent":"m"})"));
    EXPECT_EQ(got.status, 400);
    EXPECT_EQ(got.body["error"]["code"], "invalid_request");
    EXPECT_TRUE(session->corrected.empty());
}

TEST_F(correction_route, knows_when_the_session_has_ended) {
    test_support::await(io, registry.remove("ses_1", kernels::end_reason::session_ended));
    EXPECT_EQ(tell().status, 404);
}

}  // namespace
}  // namespace gateway::api::helpers
