// A toolbox of four tools: DEMO_ADD adds, DEMO_FAIL says that it failed, DEMO_WAIT ends when the test says so,
// MAIL_SEND sends nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gateway/tools/execute_response.hpp"
#include "gateway/tools/json_text.hpp"
#include "gateway/tools/toolbox.hpp"

namespace gateway::api::composio {

class fake_toolbox final : public tools::toolbox {
  public:
    explicit fake_toolbox(executor ex) : freed(std::move(ex)) {}

    std::vector<std::string> called;
    std::vector<std::string> accounts;  // of the calls
    bool free = false;                  // DEMO_WAIT may end
    event freed;
    bool was_cancelled = false;

    awaitable<result<std::string>> execute(std::string slug, std::string arguments, tools::tool_caller whose) override {
        called.push_back(slug);
        accounts.push_back(whose.account);
        auto given = tools::parse_json(arguments);
        if (slug == "DEMO_ADD") {
            nlohmann::json sum = {{"sum", given->value("a", 0) + given->value("b", 0)}};
            co_return tools::execute_response(tools::to_text(sum));
        }
        if (slug == "DEMO_FAIL") co_return tools::execute_response("{}", "it is broken");
        if (slug == "MAIL_SEND") co_return tools::execute_response("{}");
        failure unknown{errc::not_found, "there is no tool " + slug};
        if (slug != "DEMO_WAIT") co_return unknown;
        cancel_watch watch{*this};
        while (!free) co_await freed.wait();
        watch.done = true;
        co_return tools::execute_response(R"({"waited":true})");
    }
    awaitable<std::vector<tools::tool_description>> list() override {
        const char* sum = R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}})";
        co_return std::vector<tools::tool_description>{
            {"DEMO_ADD", "DEMO", "add", "Adds two numbers", sum, {"readOnlyHint"}},
            {"DEMO_FAIL", "DEMO", "fail", "Always fails", "{}"},
            {"DEMO_WAIT", "DEMO", "wait", "Waits", "{}"},
            {"MAIL_SEND", "MAIL", "send", "Sends an email to people", "{}", {"destructiveHint"}}};
    }
    bool empty() const override { return false; }
    awaitable<void> stop() override { co_return; }

  private:
    struct cancel_watch {
        fake_toolbox& of;
        bool done = false;
        ~cancel_watch() { of.was_cancelled = of.was_cancelled || !done; }
    };
};

}  // namespace gateway::api::composio
