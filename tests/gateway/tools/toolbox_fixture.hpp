// A toolbox over real child processes that speak MCP, for tests. Verbs: call, list, until.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gateway/tools/toolbox.hpp"
#include "tests/support/await.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::tools {

struct toolbox_test : testing::Test {
    asio::io_context io;
    test_support::temporary_directory directory;
    std::unique_ptr<toolbox> box;
    shared_meters whose = std::make_shared<meters>(io.get_executor());

    static toolkit_options fake(std::vector<std::string> words = {}, milliseconds timeout = milliseconds(20'000)) {
        toolkit_options made;
        made.name = "FAKE";
        made.command = {"/usr/bin/python3", CELLGATE_FAKE_MCP};
        made.command.insert(made.command.end(), words.begin(), words.end());
        made.timeout = timeout;
        return made;
    }
    void open(std::vector<toolkit_options> toolkits) { box = make_toolbox(io.get_executor(), std::move(toolkits)); }
    void open(toolkit_options only) { open(std::vector<toolkit_options>{std::move(only)}); }

    result<std::string> call(std::string slug, std::string arguments = "{}") {
        return test_support::await(io, box->execute(std::move(slug), std::move(arguments), whose),
                                   std::chrono::seconds(60));
    }
    // The data of a call that succeeds.
    nlohmann::json data(std::string slug, std::string arguments = "{}") {
        auto answer = call(std::move(slug), std::move(arguments));
        EXPECT_TRUE(answer) << answer.error().message;
        auto parsed = nlohmann::json::parse(answer ? *answer : "{}");
        EXPECT_TRUE(parsed["error"].is_null()) << parsed.dump();
        return parsed["data"];
    }
    // Until a first call works: a busy machine may take longer to start a program than a short time limit allows.
    void warm_up(const std::string& slug) {
        auto works = [&] { return call(slug).has_value(); };
        ASSERT_TRUE(test_support::run_until(io, works, std::chrono::seconds(50)));
    }
    // The message of a call that fails.
    std::string error(std::string slug, std::string arguments = "{}") {
        auto answer = call(std::move(slug), std::move(arguments));
        EXPECT_FALSE(answer) << *answer;
        return answer ? "" : answer.error().message;
    }
    std::vector<std::string> slugs() {
        std::vector<std::string> made;
        for (auto& each : test_support::await(io, box->list(), std::chrono::seconds(60))) made.push_back(each.slug);
        return made;
    }
    std::string log_file() const { return directory.path() + "/log"; }
    std::string logged() const {
        std::ifstream file(log_file());
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }
    void stop() {
        if (box) test_support::await(io, box->stop(), std::chrono::seconds(30));
    }
    ~toolbox_test() override { stop(); }
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace gateway::tools
