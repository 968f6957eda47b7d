#include "gateway/tools/search_provider.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gateway::tools {
namespace {

using nlohmann::json;

search_question ask(search_provider which, const std::string& query = "a b&c") {
    return {which, which == search_provider::searxng ? "http://search.example/" : default_search_url(which), "the-key",
            query, 3};
}
outbound::request request(search_provider which) { return make_search_request(ask(which)).value(); }
std::string header(const outbound::request& of, const char* name) {
    return std::string(outbound::find_header(of.fields, name));
}
search_answer read(search_provider which, const std::string& body, std::size_t most = 3) {
    return read_search_answer(which, body, most).value();
}

TEST(a_search, of_searxng_asks_for_json) {
    auto made = request(search_provider::searxng);
    EXPECT_EQ(made.method, "GET");
    EXPECT_EQ(made.to.origin() + made.to.target, "http://search.example/search?format=json&q=a%20b%26c");
}

TEST(a_search, of_brave_has_its_token) {
    auto made = request(search_provider::brave);
    EXPECT_EQ(made.to.origin() + made.to.target,
              "https://api.search.brave.com/res/v1/web/search?text_decorations=false&count=3&q=a%20b%26c");
    EXPECT_EQ(header(made, "x-subscription-token"), "the-key");
    auto longer = make_search_request(ask(search_provider::brave, std::string(401, 'x')));
    EXPECT_NE(longer.error().message.find("400 bytes"), std::string::npos);
}

TEST(a_search, of_tavily_asks_for_an_answer) {
    auto made = request(search_provider::tavily);
    EXPECT_EQ(made.method + " " + made.to.origin() + made.to.target, "POST https://api.tavily.com/search");
    EXPECT_EQ(header(made, "authorization"), "Bearer the-key");
    EXPECT_EQ(json::parse(made.body), json::parse(R"({"query":"a b&c","include_answer":true,"max_results":3})"));
}

TEST(a_search, of_exa_asks_a_question) {
    auto made = request(search_provider::exa);
    EXPECT_EQ(made.method + " " + made.to.origin() + made.to.target, "POST https://api.exa.ai/answer");
    EXPECT_EQ(header(made, "x-api-key"), "the-key");
    EXPECT_EQ(json::parse(made.body), json::parse(R"({"query":"a b&c"})"));
}

TEST(a_search, may_go_to_another_address) {
    auto what = ask(search_provider::exa);
    what.url = "http://127.0.0.1:9/proxy/";
    EXPECT_EQ(make_search_request(what)->to.target, "/proxy/answer");
    what.url = "nonsense";
    EXPECT_NE(make_search_request(what).error().message.find("search.url"), std::string::npos);
}

TEST(an_answer, of_searxng_has_instant_answers_and_boxes_before_pages) {
    auto found = read(search_provider::searxng, R"({"query":"q","number_of_results":9,"answers":["4",{"answer":"four",
        "url":"http://a"}],"infoboxes":[{"infobox":"Four","id":"http://b","content":"a number"}],
        "results":[{"title":"T","url":"http://c","content":"c"}],"unresponsive_engines":[["x","timeout"]]})",
                      5);
    search_answer expected{
        "", {{"", "", "4"}, {"", "http://a", "four"}, {"Four", "http://b", "a number"}, {"T", "http://c", "c"}}};
    EXPECT_EQ(found, expected);
}

TEST(an_answer, of_brave_is_pages_without_markup) {
    auto found = read(search_provider::brave, R"({"type":"search","web":{"results":[
        {"title":"A &amp; B","url":"http://a","description":"the <strong>a</strong>"}]}})");
    EXPECT_EQ(found, (search_answer{"", {{"A & B", "http://a", "the a"}}}));
    EXPECT_EQ(read(search_provider::brave, R"({"type":"search"})"), search_answer());
}

TEST(an_answer, of_tavily_is_what_it_wrote) {
    auto found = read(search_provider::tavily,
                      R"({"query":"q","answer":"Yes.","results":[{"title":"T","url":"u","content":"c","score":0.5}]})");
    EXPECT_EQ(found.text(), "Yes.");
    EXPECT_EQ(found.pages.size(), 1u);
    EXPECT_EQ(
        read(search_provider::tavily, R"({"answer":null,"results":[{"title":"T","url":"u","content":"c"}]})").text(),
        "1. T\n   u\n   c");
}

TEST(an_answer, of_exa_is_what_it_wrote_with_its_sources) {
    auto found =
        read(search_provider::exa,
             R"({"answer":"In 2026.","citations":[{"id":"1","title":"T","url":"u"}],"costDollars":{"total":0.005}})");
    EXPECT_EQ(found, (search_answer{"In 2026.", {{"T", "u", ""}}}));
}

TEST(an_answer, of_pages_is_a_numbered_text) {
    search_answer found{"", {{"A", "http://a", "one"}, {"", "", "two"}, {"C", "http://c", ""}}};
    EXPECT_EQ(found.text(), "1. A\n   http://a\n   one\n\n2. two\n\n3. C\n   http://c");
    EXPECT_EQ(search_answer().text(), "");
}

TEST(an_answer, has_at_most_so_many_pages) {
    std::string many;
    for (int i = 0; i < 50; ++i) many += std::string(i ? "," : "") + R"({"title":"T","url":"u","content":"c"})";
    EXPECT_EQ(read(search_provider::searxng, R"({"answers":["x","y"],"results":[)" + many + "]}", 4).pages.size(), 4u);
    EXPECT_EQ(read(search_provider::searxng, R"({"answers":["x","y"],"results":[)" + many + "]}", 1).pages.size(), 1u);
    EXPECT_EQ(read(search_provider::tavily, R"({"results":[)" + many + "]}", 4).pages.size(), 4u);
}

TEST(an_answer, that_is_something_else_is_a_failure) {
    for (auto which : {search_provider::searxng, search_provider::brave, search_provider::tavily, search_provider::exa})
        for (const char* body : {"", "<html>", "[]", "5", "{}", R"({"error":"x"})"})
            EXPECT_FALSE(read_search_answer(which, body, 3)) << body;
}

TEST(an_answer, with_members_of_other_types_is_read_as_far_as_it_goes) {
    EXPECT_EQ(read(search_provider::searxng, R"({"results":5,"answers":5,"infoboxes":[5]})").text(), "1. ");
    EXPECT_EQ(read(search_provider::brave, R"({"type":"search","web":[1]})"), search_answer());
    EXPECT_EQ(read(search_provider::tavily, R"({"results":[1,{"title":5}]})"), search_answer());
    EXPECT_EQ(read(search_provider::exa, R"({"answer":{"a":1},"citations":null})"), search_answer());
}

}  // namespace
}  // namespace gateway::tools
