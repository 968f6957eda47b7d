// Verbs for tests of the agent API: requests as a caller of some scope, their answers as JSON.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "gateway/api/agent/routes.hpp"
#include "tests/support/await.hpp"
#include "tests/support/fake_agent_session.hpp"

namespace gateway::api::agent {

using nlohmann::json;

struct reply {
    int status = 0;
    std::string text;
    std::vector<std::pair<std::string, std::string>> headers;
    json body;  // discarded when it is none
    std::string code() const { return body.is_object() && body.contains("error") ? body["error"]["code"] : ""; }
    std::string message() const { return body.is_object() && body.contains("error") ? body["error"]["message"] : ""; }
};

inline http::principal caller(std::string user, http::scope allowed) {
    http::principal made;
    made.user_id = std::move(user);
    made.allowed = allowed;
    return made;
}

class agent_fixture : public testing::Test {
  protected:
    agent_fixture() {
        options.keep_alive = milliseconds(20);
        options.pool = &pool;
        add_agent_routes(routes, registry, options);
    }
    ~agent_fixture() override {
        io.restart();
        io.poll();
    }

    std::shared_ptr<test_support::fake_agent_session> add_session(std::string user = "ana", std::string name = "") {
        sessions::session_options made;
        made.user_id = std::move(user);
        made.name = std::move(name);
        return registry.add(std::move(made));
    }
    // The answer of the handler; a streamed body is read to its end.
    reply call(const std::string& method, const std::string& target, const std::string& body = "") {
        auto opened = open(method, target, body);
        reply answer{opened.status, "", opened.headers, {}};
        if (auto* text = std::get_if<std::string>(&opened.body)) answer.text = *text;
        if (auto* source = std::get_if<http::body_source>(&opened.body))
            while (auto piece = test_support::await(io, (*source)())) answer.text += *piece;
        answer.body = json::parse(answer.text, nullptr, false);
        return answer;
    }
    http::response open(const std::string& method, const std::string& target, const std::string& body = "") {
        http::request made;
        made.id = "req_1";
        made.method = method;
        made.path = target.substr(0, target.find('?'));
        made.body = body;
        made.caller = who;
        made.secure = secure;
        for (const auto& [name, value] : headers) made.headers.emplace(name, value);
        if (headers.find("Host") == headers.end()) made.headers.emplace("Host", "gate.example:1");
        if (auto query = target.find('?'); query != std::string::npos) add_query(target.substr(query + 1), made);
        auto match = routes.find(method, made.path);
        if (!match.found) throw std::runtime_error("no route " + method + " " + made.path);
        if (!who.may(match.found->needed)) {
            auto refused = failure{errc::forbidden, "scope"};
            return http::error_response(refused, match.found->errors, made.id);
        }
        made.parameters = match.parameters;
        if (match.found->streams_body) made.body_pieces = pieces_of(std::exchange(made.body, std::string()));
        return test_support::await(io, match.found->handle(made));
    }

    asio::io_context io;
    asio::thread_pool pool{1};
    agent_options options;
    http::router routes;
    test_support::fake_agent_registry registry{io.get_executor(), pool};
    http::principal who = caller("ana", http::scope::session);
    http::header_map headers;  // of every request
    bool secure = false;

  private:
    // In two, so that it takes two reads.
    static http::body_reader pieces_of(std::string body) {
        auto rest = std::make_shared<std::string>(std::move(body));
        return [rest]() -> awaitable<result<std::optional<std::string>>> {
            std::optional<std::string> piece;
            if (!rest->empty()) piece = rest->substr(0, (rest->size() + 1) / 2);
            if (piece) rest->erase(0, piece->size());
            co_return piece;
        };
    }
    static void add_query(const std::string& text, http::request& to) {
        std::size_t at = 0;
        while (at < text.size()) {
            auto end = std::min(text.find('&', at), text.size());
            auto pair = text.substr(at, end - at);
            auto equals = pair.find('=');
            to.query.emplace(pair.substr(0, equals), pair.substr(equals + 1));
            at = end + 1;
        }
    }
};

}  // namespace gateway::api::agent
