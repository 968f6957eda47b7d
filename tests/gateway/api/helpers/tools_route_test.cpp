#include "gateway/api/helpers/tools_route.hpp"

#include <gtest/gtest.h>

#include "tests/gateway/api/helpers/helper_client.hpp"

namespace gateway::api::helpers {
namespace {

std::vector<std::string> found(const std::string& query) {
    std::vector<tools::tool_description> all{{"FILES_READ", "FILES", "read", "Reads a file", "{}"},
                                             {"MAIL_SEND", "MAIL", "send", "Sends a mail with files", "{}"},
                                             {"MAIL_READ", "MAIL", "read", "Shows mails", "{}"}};
    std::vector<std::string> made;
    for (auto& each : matching(std::move(all), query)) made.push_back(each.slug);
    return made;
}
using slugs = std::vector<std::string>;

TEST(the_tools, are_all_without_words) { EXPECT_EQ(found("  "), (slugs{"FILES_READ", "MAIL_SEND", "MAIL_READ"})); }

TEST(the_tools, that_are_found_have_all_words_in_any_case) {
    EXPECT_EQ(found("read mail"), slugs{"MAIL_READ"});
    EXPECT_EQ(found("FILE"), (slugs{"FILES_READ", "MAIL_SEND"}));
    EXPECT_EQ(found("xyzzy"), slugs());
}

TEST(the_tools, with_the_words_in_their_slug_come_first) { EXPECT_EQ(found("send"), slugs{"MAIL_SEND"}); }

class listed_toolbox final : public tools::toolbox {
  public:
    std::vector<tools::tool_description> all{{"MAIL_SEND", "MAIL", "send", "Sends a mail", R"({"type":"object"})"},
                                             {"MAIL_READ", "MAIL", "read", "Shows mails", "not JSON"}};

    awaitable<result<std::string>> execute(std::string, std::string, tools::tool_caller) override {
        co_return failure{errc::not_found, "it only lists"};
    }
    awaitable<std::vector<tools::tool_description>> list() override { co_return all; }
    bool empty() const override { return all.empty(); }
    awaitable<void> stop() override { co_return; }
};

struct tools_route : helper_client {
    listed_toolbox box;
    tools::shared_meters meters = std::make_shared<tools::meters>(io.get_executor());
    tools::tool_filter admits;

    void add_routes(endpoint& to) override {
        auto find_caller = [this](const std::string&) {
            tools::tool_caller made(meters);
            made.admits = admits;
            return made;
        };
        add_tools_route(to, box, find_caller);
    }
};

TEST_F(tools_route, lists_what_a_cell_can_call) {
    auto got = send(get("/v1/tools"));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, json::parse(R"({"left_out": 0, "tools": [
        {"slug": "MAIL_SEND", "toolkit": "MAIL", "description": "Sends a mail", "input_schema": {"type": "object"}},
        {"slug": "MAIL_READ", "toolkit": "MAIL", "description": "Shows mails", "input_schema": {}}]})"));
}

TEST_F(tools_route, lists_nothing_that_the_session_does_not_let_in) {
    admits = [](const tools::tool_description& each) { return each.slug == "MAIL_READ"; };
    auto got = send(get("/v1/tools"));
    ASSERT_EQ(got.body["tools"].size(), 1u);
    EXPECT_EQ(got.body["tools"][0]["slug"], "MAIL_READ");
}

TEST_F(tools_route, finds_what_has_the_words) {
    auto got = send(get("/v1/tools?query=a%20mail%20send"));
    ASSERT_EQ(got.body["tools"].size(), 1u);
    EXPECT_EQ(got.body["tools"][0]["slug"], "MAIL_SEND");
    EXPECT_EQ(send(get("/v1/tools?query=xyzzy")).body["tools"], json::array());
}

TEST_F(tools_route, lists_nothing_where_no_server_could_start) {
    box.all.clear();
    EXPECT_EQ(send(get("/v1/tools")).body, json::parse(R"({"left_out": 0, "tools": []})"));
}

TEST_F(tools_route, counts_the_tools_that_its_answer_has_no_room_for) {
    box.all[0].input_schema = json({{"title", std::string(5u << 20, 'x')}}).dump();
    auto got = send(get("/v1/tools"));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body["left_out"], 1);
    ASSERT_EQ(got.body["tools"].size(), 1u);
    EXPECT_EQ(got.body["tools"][0]["slug"], "MAIL_READ");
}

TEST_F(tools_route, names_what_it_does_not_know) {
    expect_refusal(send(get("/v1/tools?qurey=mail")), 400, "unknown_field", "\"qurey\"");
    EXPECT_EQ(send(post("/v1/tools", "{}")).status, 405);
}

TEST_F(tools_route, wants_a_sessions_key) { expect_refusal(send(get("/v1/tools", "bad")), 401, "unauthorized", "key"); }

}  // namespace
}  // namespace gateway::api::helpers
