#include <gmock/gmock.h>

#include "tests/gateway/api/jupyter/fixture.hpp"

namespace gateway::api::jupyter {
namespace {

using sessions::origin;
using testing::HasSubstr;

// One call of the model, with 7 tokens of an answer.
void usage(sessions::session& of) {
    asio::io_context io;
    auto counted = [](tools::meter& model) -> awaitable<void> { (void)co_await model.begin({}); };
    asio::co_spawn(io, counted(of.meters()->model), [](std::exception_ptr) {});
    io.run();
    of.meters()->model.add({1, 7});
}

TEST_F(jupyter_routes, metrics_are_for_admin_keys) {
    serve();
    EXPECT_EQ(scope_of("GET", "/metrics"), http::scope::admin);
}

TEST_F(jupyter_routes, metrics_count_kernels_sessions_connections_and_logs) {
    options.http_connections = [] { return std::size_t{12}; };
    serve();
    auto session = add_session("ana", origin::agent);
    session->connected = 2;
    session->agents = 1;
    sessions::entry queued;
    queued.type = "cell_queued";
    session->log().append(std::move(queued));
    auto got = call("GET", "/metrics");
    EXPECT_THAT(got.whole.content_type, HasSubstr("text/plain"));
    EXPECT_THAT(got.text, HasSubstr("cellgate_kernels{state=\"idle\",spec=\"python3\"} 1"));
    EXPECT_THAT(got.text, HasSubstr("cellgate_sessions{made_by=\"agent\"} 1"));
    EXPECT_THAT(got.text, HasSubstr("cellgate_connections{client=\"jupyter\"} 2"));
    EXPECT_THAT(got.text, HasSubstr("cellgate_connections{client=\"agent\"} 1"));
    EXPECT_THAT(got.text, HasSubstr("cellgate_output_log_entries 1"));
    EXPECT_THAT(got.text, HasSubstr("cellgate_http_connections 12"));
    EXPECT_THAT(got.text, HasSubstr("cellgate_channel_bad_frames_total 0"));
    EXPECT_THAT(got.text, HasSubstr("process_resident_memory_bytes"));
}

TEST_F(jupyter_routes, metrics_count_calls_and_tokens_of_services) {
    tools::service_totals model;
    model.calls["ok"] = 2;
    model.running = 1;
    model.tokens = {30, 4};
    options.services = {{"model", &model}};
    serve();
    auto session = add_session("ana", origin::agent);
    usage(*session);
    auto text = call("GET", "/metrics").text;
    EXPECT_THAT(text, HasSubstr("cellgate_service_calls_total{service=\"model\",ended=\"ok\"} 2"));
    EXPECT_THAT(text, HasSubstr("cellgate_service_calls_running{service=\"model\"} 1"));
    EXPECT_THAT(text, HasSubstr("cellgate_model_tokens_total{kind=\"prompt\"} 30"));
    EXPECT_THAT(text,
                HasSubstr("cellgate_session_model_tokens{session=\"" + session->id() + "\",kind=\"completion\"} 7"));
}

TEST_F(jupyter_routes, metrics_of_an_empty_gateway_are_complete) {
    serve();
    auto got = call("GET", "/metrics");
    EXPECT_THAT(got.text, HasSubstr("cellgate_sessions{made_by=\"jupyter\"} 0"));
    EXPECT_THAT(got.text, HasSubstr("cellgate_output_log_memory_bytes 0"));
}

}  // namespace
}  // namespace gateway::api::jupyter
