// Verbs for tests of connected accounts: a gateway with three services, and the page behind a link.
#pragma once

#include <gmock/gmock.h>

#include "tests/gateway/api/composio/composio_fixture.hpp"

namespace gateway::api::composio {

inline accounts::account service_of(const std::string& toolkit, accounts::auth_scheme scheme) {
    accounts::account made;
    made.toolkit = toolkit;
    made.base_url = "https://api." + toolkit + ".example/v1";
    made.scheme = scheme;
    return accounts::checked_service(made, {}).value();
}

class connection_fixture : public composio_fixture {
  protected:
    void SetUp() override {
        options.accounts = store.get();
        options.connecting.services = {{"github", service_of("github", accounts::auth_scheme::bearer)},
                                       {"jira", service_of("jira", accounts::auth_scheme::basic)},
                                       {"maps", service_of("maps", accounts::auth_scheme::api_key)}};
        options.connecting.services["github"].hosts = {"https://uploads.github.example"};
        options.connecting.most_per_user = 5;
        composio_fixture::SetUp();
    }
    std::string add(const std::string& toolkit, const std::string& user = "ana", const std::string& alias = "") {
        auto made = service_of(toolkit, accounts::auth_scheme::bearer);
        made.user_id = user;
        made.alias = alias;
        return store->add(made, "the-secret-of-" + toolkit).value().id;
    }
    // {connected_account_id, link_token, redirect_url}
    json begin(const std::string& body = R"({"toolkit":"github"})") {
        auto made = post("/link", body);
        EXPECT_EQ(made.status, 201) << made.text;
        return made.body;
    }
    static std::string path_of(const json& link) {
        const auto url = link["redirect_url"].get<std::string>();
        return url.substr(url.find('/', url.find("//") + 2));
    }
    // Without a key, as a browser asks.
    reply ask(const std::string& method, const std::string& path, const std::string& body = "",
              const std::string& more = "") {
        const auto request = method + " " + path + " HTTP/1.0\r\nHost: localhost:8888\r\n" + more +
                             "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        return connection(io, directory.path() + "/s", request).finish();
    }
    reply page(const json& link) { return ask("GET", path_of(link)); }
    reply submit(const json& link, const std::string& fields = "secret=the-key-of-ana", const std::string& more = "") {
        return ask("POST", path_of(link), fields, form_type + more);
    }
    json account(const std::string& of, const std::string& key = "root") {
        return call("GET", "/api/v3.1/connected_accounts/" + of, "", "", key).body;
    }
    json toolkits(const std::string& query = "") {
        json made;
        const auto listed = call("GET", base + "/" + id + "/toolkits" + query).body;
        for (const auto& each : listed["items"]) made[each["slug"].get<std::string>()] = each;
        return made;
    }
    json tool(const std::string& slug, const std::string& arguments) {
        return post("/execute", R"({"tool_slug":"COMPOSIO_)" + slug + R"(","arguments":)" + arguments + "}")
            .body["data"];
    }

    const std::string form_type = "Content-Type: application/x-www-form-urlencoded\r\n";
    test_support::temporary_directory home;
    std::unique_ptr<accounts::account_store> store = accounts::account_store::open(home.path(), "", {}).value();
};

}  // namespace gateway::api::composio
