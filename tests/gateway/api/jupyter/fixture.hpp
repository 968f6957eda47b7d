// The Jupyter routes over a fake registry: a request in, its answer out, no network.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "gateway/api/jupyter/routes.hpp"
#include "tests/support/fake_jupyter_session.hpp"
#include "tests/support/run_until.hpp"

namespace gateway::api::jupyter {

using nlohmann::json;

struct answer {
    int status = 0;
    std::string text;
    http::response whole;
    json body() const { return json::parse(text); }
    std::string header(const std::string& name) const {
        for (const auto& [key, value] : whole.headers)
            if (key == name) return value;
        return "";
    }
};

class jupyter_routes : public testing::Test {
  protected:
    void serve() { add_jupyter_routes(routes, registry, options); }

    void as(const std::string& user, http::scope allowed = http::scope::session) {
        caller.user_id = user;
        caller.allowed = allowed;
    }

    answer call(const std::string& method, const std::string& path, const std::string& body = "",
                std::multimap<std::string, std::string> query = {}) {
        auto match = routes.find(method, path);
        EXPECT_NE(match.found, nullptr) << method << " " << path;
        if (!match.found) return {};
        http::request from;
        from.id = "req_test";
        from.method = method;
        from.path = path;
        from.parameters = match.parameters;
        from.query = std::move(query);
        from.body = body;
        from.caller = caller;
        return run(match.found->handle(from));
    }

    http::scope scope_of(const std::string& method, const std::string& path) {
        auto match = routes.find(method, path);
        return match.found ? match.found->needed : http::scope::admin;
    }

    std::shared_ptr<test_support::fake_session> add_session(const std::string& user, sessions::origin made_by,
                                                            const std::string& name = "") {
        sessions::session_options options;
        options.user_id = user;
        options.made_by = made_by;
        options.name = name;
        return registry.add(std::move(options));
    }

    boost::asio::io_context io;
    test_support::temporary_directory specs;
    test_support::fake_registry registry{io.get_executor(), {specs.path()}};
    jupyter_options options;
    http::router routes;
    http::principal caller{"ana", http::scope::session, "key_1"};

  private:
    answer run(awaitable<http::response> handling) {
        answer got;
        bool done = false;
        auto finish = [&](std::exception_ptr error, http::response made) {
            done = true;
            if (error) return ADD_FAILURE() << "the handler threw", void();
            got.status = made.status;
            if (auto* text = std::get_if<std::string>(&made.body)) got.text = *text;
            got.whole = std::move(made);
        };
        asio::co_spawn(io, std::move(handling), finish);
        EXPECT_TRUE(test_support::run_until(io, [&] { return done; }));
        return got;
    }
};

}  // namespace gateway::api::jupyter
