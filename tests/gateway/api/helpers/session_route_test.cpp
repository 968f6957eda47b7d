#include "gateway/api/helpers/session_route.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/api/helpers/helper_client.hpp"
#include "tests/support/fake_agent_session.hpp"

namespace gateway::api::helpers {
namespace {

struct session_route : helper_client {
    asio::thread_pool pool{1};
    test_support::fake_agent_registry registry{io.get_executor(), pool};
    std::shared_ptr<test_support::fake_agent_session> session = registry.add(options());

    static sessions::session_options options() {
        sessions::session_options made;
        made.user_id = "ana";
        made.name = "work";
        made.lifetime = milliseconds(90'500);
        return made;
    }
    void add_routes(endpoint& to) override { add_session_route(to, registry); }
};

TEST_F(session_route, shows_the_session_whose_key_it_has) {
    registry.add({});
    session->meters()->model.add({30, 4});
    auto got = send(get("/v1/session"));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, json::parse(R"({
        "id": "ses_1", "name": "work", "user_id": "ana", "state": "idle", "kernel": "python3",
        "created_at": "1970-01-01T00:00:01.000000Z", "last_activity": "1970-01-01T00:00:01.000000Z",
        "cell_timeout_s": 180.0, "idle_timeout_s": null, "lifetime_s": 90.5, "restarts": 0,
        "sandbox": {"enable": true, "sandbox_size": "standard", "cpus": 1, "memory_bytes": 1073741824},
        "connections": {"jupyter": 0, "agents": 0}, "tokens": {"prompt": 30, "completion": 4, "calls": 0},
        "searches": 0})"));
}

TEST_F(session_route, names_what_it_does_not_know) {
    expect_refusal(send(get("/v1/session?id=ses_2")), 400, "unknown_field", "\"id\"");
    EXPECT_EQ(send(post("/v1/session", "{}")).status, 405);
}

TEST_F(session_route, wants_a_sessions_key) {
    expect_refusal(send(get("/v1/session", "bad")), 401, "unauthorized", "key");
}

TEST_F(session_route, knows_when_the_session_has_ended) {
    test_support::await(io, registry.remove("ses_1", kernels::end_reason::session_ended));
    expect_refusal(send(get("/v1/session")), 404, "session_not_found", "ended");
}

}  // namespace
}  // namespace gateway::api::helpers
