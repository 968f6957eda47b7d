// Verbs for tests of the routes that ask a service: a server that answers what a test says, and what it was sent.
#pragma once

#include <string>
#include <vector>

#include "gateway/tools/meter.hpp"
#include "tests/gateway/api/helpers/helper_client.hpp"
#include "tests/support/scripted_server.hpp"

namespace gateway::api::helpers {

struct service_fixture : helper_client {
    // What the server answers.
    std::string status = "200 OK";
    std::string type;
    std::string body;
    std::string more;  // headers

    std::vector<json> sent;
    std::vector<std::string> asked_by;  // sessions
    tools::shared_meters meters = std::make_shared<tools::meters>(io.get_executor());
    test_support::scripted_server server{io.get_executor(), [this](test_support::exchange& on) { return serve(on); }};

    using helper_client::serve;
    awaitable<void> serve(test_support::exchange& on) {
        sent.push_back(json::parse(on.body));
        co_await on.answer(status, type, body, more);
    }
    meter_finder finder() {
        return [this](const std::string& session) {
            asked_by.push_back(session);
            return meters;
        };
    }
    void TearDown() override {
        helper_client::TearDown();
        test_support::await(io, server.stop());
    }

    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

}  // namespace gateway::api::helpers
