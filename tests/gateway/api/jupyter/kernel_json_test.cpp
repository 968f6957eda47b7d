#include "gateway/api/jupyter/kernel_json.hpp"

#include "tests/gateway/api/jupyter/fixture.hpp"

namespace gateway::api::jupyter {
namespace {

class kernel_json : public testing::Test {
  protected:
    json model() { return json::parse(kernel_model(entry)); }

    boost::asio::io_context io;
    std::shared_ptr<test_support::fake_session> session = make();
    sessions::kernel_entry entry{session, std::nullopt, true};

  private:
    std::shared_ptr<test_support::fake_session> make() {
        auto made =
            std::make_shared<test_support::fake_session>(io.get_executor(), "ses_1", sessions::session_options{});
        made->running.name = "python3";
        return made;
    }
};

TEST_F(kernel_json, has_the_five_keys_that_jupyter_server_reads) {
    auto got = model();
    EXPECT_EQ(got["id"], session->kernel_id());
    EXPECT_EQ(got["name"], "python3");
    EXPECT_EQ(got["execution_state"], "idle");
    EXPECT_TRUE(got["connections"].is_number_integer());
    EXPECT_FALSE(got.contains("reason"));
}

TEST_F(kernel_json, prints_times_with_six_digits_and_z) {
    session->active_at = wall_clock::time_point(std::chrono::seconds(1'795'964'690));
    EXPECT_EQ(model()["last_activity"], "2026-11-29T15:04:50.000000Z");
}

TEST_F(kernel_json, uses_only_the_states_that_jupyterlab_accepts) {
    using enum sessions::session_state;
    for (auto [state, word] : {std::pair{starting, "starting"},
                               {idle, "idle"},
                               {busy, "busy"},
                               {restarting, "restarting"},
                               {dead, "dead"}}) {
        session->now = state;
        EXPECT_EQ(model()["execution_state"], word);
    }
}

TEST_F(kernel_json, says_why_a_kernel_is_dead) {
    session->now = sessions::session_state::dead;
    session->why = sessions::cell_reason::start_failed;
    session->failed_with = "No module named \"ipykernel\"";
    EXPECT_EQ(model()["reason"], "start_failed: No module named \"ipykernel\"");
    session->failed_with.clear();
    EXPECT_EQ(model()["reason"], "start_failed");
}

TEST_F(kernel_json, counts_everyone_on_a_kernel_but_an_alias_only_itself) {
    session->connected = 3;
    session->agents = 1;
    session->connected_via["alias-id"] = 2;
    EXPECT_EQ(model()["connections"], 4);
    entry.through = sessions::alias{"alias-id", "attach-ses_1", "ses_1", "ana", {}, {}};
    EXPECT_EQ(model()["connections"], 2);
    EXPECT_EQ(model()["id"], "alias-id");
    EXPECT_EQ(model()["name"], "attach-ses_1");
}

TEST_F(kernel_json, prints_a_list_as_an_array) {
    EXPECT_EQ(kernel_models({}), "[]");
    EXPECT_EQ(json::parse(kernel_models({entry, entry})).size(), 2u);
}

}  // namespace
}  // namespace gateway::api::jupyter
