#include "gateway/accounts/proxy_request.hpp"

#include <gmock/gmock.h>

namespace gateway::accounts {
namespace {

using testing::HasSubstr;

std::string call(const std::string& more) { return R"({"toolkit_slug":"github","endpoint":"/x")" + more + "}"; }
std::string parameter(const std::string& fields) { return call(R"(,"parameters":[{)" + fields + "}]"); }

TEST(proxy_request, is_read_as_the_published_clients_write_it) {
    auto made = parse_proxy_request(call(
        R"(,"method":"post","body":{"b":1.50},"account":"work","parameters":[
            {"name":"q","type":"query","value":"a b"},{"name":"n","type":"query","value":5},{"name":"X-A","type":"header","value":"v"}])"));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->method, "POST");
    EXPECT_EQ(made->account, "work");
    EXPECT_EQ(made->query, (std::vector<std::pair<std::string, std::string>>{{"q", "a b"}, {"n", "5"}}));
    EXPECT_EQ(made->headers, (outbound::headers{{"X-A", "v"}}));
    EXPECT_EQ(made->body, R"({"b":1.50})");
    EXPECT_EQ(made->content_type, "application/json");
}

TEST(proxy_request, is_a_get_without_a_body_unless_it_says_otherwise) {
    auto made = parse_proxy_request(call(R"(,"body":null,"parameters":null,"account":null)")).value();
    EXPECT_EQ(made.method, "GET");
    EXPECT_EQ(made.body + made.content_type, "");
}

TEST(proxy_request, sends_a_string_as_text) {
    auto made = parse_proxy_request(call(R"(,"method":"PUT","body":"a\nb")")).value();
    EXPECT_EQ(made.body, "a\nb");
    EXPECT_EQ(made.content_type, "text/plain; charset=utf-8");
}

TEST(proxy_request, sends_bytes) {
    auto made =
        parse_proxy_request(call(R"(,"method":"PUT","binary_body":{"base64":"AAECAw==","content_type":"image/png"})"));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->body, std::string("\0\1\2\3", 4));
    EXPECT_EQ(made->content_type, "image/png");
}

TEST(proxy_request, that_is_wrong_is_refused_with_what_to_change) {
    const std::pair<std::string, const char*> wrong[] = {
        {"", "JSON object"},
        {"[]", "JSON object"},
        {"{}", "toolkit_slug"},
        {R"({"toolkit_slug":"a"})", "endpoint"},
        {call(R"(,"method":"TRACE")"), "method"},
        {call(R"(,"method":5)"), "method"},
        {call(R"(,"nonsense":1)"), "nonsense"},
        {call(R"(,"body":{})"), "has no body"},
        {call(R"(,"parameters":{})"), "parameters"},
        {call(R"(,"parameters":[1])"), "a parameter"},
        {parameter(R"("name":"a","type":"query")"), "value"},
        {parameter(R"("name":"a","type":"cookie","value":"x")"), "type"},
        {parameter(R"("name":"a","type":"query","value":{})"), "value"},
        {parameter(R"("name":"a","type":"query","value":"x","in":"y")"), "\"in\""},
        {call(R"(,"method":"PUT","body":1,"binary_body":{"base64":""})"), "not both"},
        {call(R"(,"method":"PUT","binary_body":{"base64":"A==="})"), "base64"},
        {call(R"(,"method":"PUT","binary_body":{"base64":"AA A"})"), "base64"},
        {call(R"(,"method":"PUT","binary_body":{"url":"http://x/"})"), "url"},
        {call(R"(,"method":"PUT","binary_body":{"base64":"","content_type":"a\r\nb"})"), "content_type"},
        {R"({"toolkit_slug":"a","endpoint":")" + std::string(16'001, 'x') + "\"}", "longer"},
        {std::string(600, '[') + std::string(600, ']'), "deep"},
        {"{\"endpoint\":\"\xff\"}", "UTF-8"}};
    for (const auto& [body, why] : wrong) {
        auto made = parse_proxy_request(body);
        ASSERT_FALSE(made) << body;
        EXPECT_THAT(made.error().message, HasSubstr(why)) << body;
    }
}

TEST(proxy_request, takes_no_header_that_could_begin_another_line_or_name_another_host) {
    for (const char* value : {R"(a\r\nHost: evil)", R"(a\nb)", R"(a\u0000b)", R"(a\rb)", R"(a\u007fb)"})
        EXPECT_FALSE(
            parse_proxy_request(parameter(R"("name":"X-A","type":"header","value":")" + std::string(value) + "\"")));
    for (const char* name : {"Host", "hOST", "Authorization", "Proxy-Authorization", "Connection", "Content-Length",
                             "Transfer-Encoding", "Upgrade", "TE", "Expect", "Accept-Encoding", "Range", "If-Range",
                             "if_range", "Transfer_Encoding", R"(X\r\nHost)", "a b", "a:b", ""})
        EXPECT_FALSE(
            parse_proxy_request(parameter(R"("name":")" + std::string(name) + R"(","type":"header","value":"x")")))
            << name;
}

TEST(proxy_request, has_bounded_parameters) {
    std::string list;
    for (int n = 0; n < 201; ++n) list += std::string(n ? "," : "") + R"({"name":"a","type":"query","value":"x"})";
    EXPECT_FALSE(parse_proxy_request(call(R"(,"parameters":[)" + list + "]")));
}

}  // namespace
}  // namespace gateway::accounts
