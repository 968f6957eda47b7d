#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/gateway/api/agent/agent_fixture.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::api::agent {
namespace {

class openapi_test : public agent_fixture {
  protected:
    // With every route that there is.
    openapi_test() {
        options.accounts = store.get();
        routes = {};
        add_agent_routes(routes, registry, options);
        description = call("GET", "/api/v1/openapi.json").body;
    }

    test_support::temporary_directory home;
    std::unique_ptr<accounts::account_store> store = accounts::account_store::open(home.path(), "", {}).value();
    json description;

    static std::vector<std::string> error_codes() {
        std::vector<std::string> all;
        for (int code = 0; code <= static_cast<int>(errc::storage_full); ++code)
            all.emplace_back(to_string(static_cast<errc>(code)));
        return all;
    }
    static std::string api_page() {
        std::ifstream file(std::string(CELLGATE_SOURCE_DIR) + "/docs/api.md");
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }
};

TEST_F(openapi_test, describes_every_route_and_no_other) {
    std::set<std::string> described, routed;
    for (const auto& [path, item] : description["paths"].items())
        for (const auto& [method, operation] : item.items())
            if (method != "parameters")
                described.insert(method + " " + std::regex_replace(path, std::regex("\\{[^}]*\\}"), "{}"));
    for (const auto& route : routes.routes()) {
        std::string method = route.method == "WS" ? "get" : route.method;
        std::transform(method.begin(), method.end(), method.begin(), ::tolower);
        routed.insert(method + " " + std::regex_replace(route.pattern, std::regex("\\{\\*\\}"), "{}"));
    }
    EXPECT_EQ(described, routed);
}

TEST_F(openapi_test, resolves_all_its_references) {
    std::function<void(const json&)> check = [&](const json& at) {
        if (at.is_object() && at.contains("$ref")) {
            auto pointer = at["$ref"].get<std::string>().substr(1);
            EXPECT_TRUE(description.contains(json::json_pointer(pointer))) << pointer;
        }
        for (const auto& each : at)
            if (each.is_structured()) check(each);
    };
    EXPECT_EQ(description["openapi"], "3.1.0");
    check(description);
}

TEST_F(openapi_test, names_every_error_code) {
    const auto& named =
        description["components"]["schemas"]["Error"]["properties"]["error"]["properties"]["code"]["enum"];
    EXPECT_EQ(named.get<std::vector<std::string>>(), error_codes());
}

TEST_F(openapi_test, has_every_field_of_a_session_and_a_cell) {
    auto session = add_session();
    session->now = sessions::session_state::dead;
    session->why = sessions::cell_reason::oom;
    session->failed_with = "x";
    auto cell = session->add_cell("1", sessions::origin::agent);
    cell->reason = sessions::cell_reason::oom;
    cell->current_step = "a";
    cell->current_step_metric = "1";
    const auto& schemas = description["components"]["schemas"];
    auto told = call("GET", "/api/v1/sessions/ses_1").body;
    for (const auto& [name, value] : told.items()) EXPECT_TRUE(schemas["Session"]["properties"].contains(name)) << name;
    auto shown = call("GET", "/api/v1/sessions/ses_1/cells/cell_1").body;
    for (const auto& [name, value] : shown.items()) EXPECT_TRUE(schemas["Cell"]["properties"].contains(name)) << name;
    EXPECT_EQ(shown.size(), schemas["Cell"]["properties"].size());
}

TEST_F(openapi_test, agrees_with_the_page_for_people) {
    auto page = api_page();
    for (const auto& code : error_codes()) EXPECT_NE(page.find("`" + code + "`"), std::string::npos) << code;
    for (const auto& [path, item] : description["paths"].items()) EXPECT_NE(page.find(path), std::string::npos) << path;
}

}  // namespace
}  // namespace gateway::api::agent
