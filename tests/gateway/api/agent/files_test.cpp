#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gateway/http/target.hpp"
#include "tests/gateway/api/agent/agent_fixture.hpp"

namespace gateway::api::agent {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;

class files_test : public agent_fixture {
  protected:
    std::string inside(const std::string& path) const { return session->files_directory() + "/" + path; }
    void write(const std::string& path, const std::string& text) const {
        fs::create_directories(fs::path(inside(path)).parent_path());
        std::ofstream(inside(path), std::ios::binary) << text;
    }
    std::string content(const std::string& path) const {
        std::stringstream text;
        text << std::ifstream(inside(path), std::ios::binary).rdbuf();
        return text.str();
    }
    static std::string url(const std::string& path = "") {
        return "/api/v1/sessions/ses_1/files" + (path.empty() ? "" : "/" + path);
    }
    static std::string header(const reply& from, std::string_view name) {
        for (const auto& [key, value] : from.headers)
            if (key == name) return value;
        return "";
    }
    reply link(const std::string& body) { return call("POST", "/api/v1/sessions/ses_1/links", body); }
    // Path and query of the link.
    std::string target(const reply& from) {
        const auto text = from.body["url"].get<std::string>();
        return text.substr(text.find("/files/"));
    }

    std::shared_ptr<test_support::fake_agent_session> session = add_session();
};

TEST_F(files_test, are_written_and_read) {
    auto made = call("PUT", url("d/a.csv"), "1,2\n");
    EXPECT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(made.body["path"], "d/a.csv");
    EXPECT_EQ(made.body["size"], 4);
    EXPECT_EQ(made.body["sha256"], "52186c933993da4082b3cdc7c40bb4bf735b391ff54a2ef78c037dda6c38a680");
    EXPECT_EQ(header(made, "ETag"), "\"" + made.body["version"].get<std::string>() + "\"");
    EXPECT_EQ(content("d/a.csv"), "1,2\n");
    auto got = call("GET", url("d/a.csv"));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.text, "1,2\n");
    EXPECT_EQ(header(got, "ETag"), header(made, "ETag"));
    EXPECT_EQ(header(got, "Content-Disposition"), "attachment; filename=\"a.csv\"");
    EXPECT_THAT(header(got, "Content-Security-Policy"), HasSubstr("sandbox"));
    EXPECT_EQ(call("PUT", url("d/a.csv"), "3").status, 200);
}

TEST_F(files_test, are_named_in_the_sandbox_or_below_the_mount) {
    for (const char* path : {"a", "%2Fa", "%2Fmnt%2Ffiles%2Fa", "/mnt/files/a"})
        EXPECT_EQ(call("PUT", url(path), path).body["path"], "a");
    EXPECT_EQ(content("a"), "/mnt/files/a");
}

TEST_F(files_test, are_read_in_part) {
    write("a", "0123456789");
    headers = {{"Range", "bytes=2-4"}};
    auto part = call("GET", url("a"));
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.text, "234");
    EXPECT_EQ(header(part, "Content-Range"), "bytes 2-4/10");
    headers = {{"Range", "bytes=20-"}};
    auto none = call("GET", url("a"));
    EXPECT_EQ(none.status, 416);
    EXPECT_EQ(none.code(), "range_not_satisfiable");
    EXPECT_EQ(header(none, "Content-Range"), "bytes */10");
    headers = {{"Range", "bytes=2-4"}, {"If-Range", "\"another\""}};
    EXPECT_EQ(call("GET", url("a")).text, "0123456789");
}

TEST_F(files_test, are_not_sent_to_who_has_them) {
    auto version = call("PUT", url("a"), "1").body["version"].get<std::string>();
    headers = {{"If-None-Match", "\"x\", W/\"" + version + "\""}};
    auto unchanged = call("GET", url("a"));
    EXPECT_EQ(unchanged.status, 304);
    EXPECT_EQ(unchanged.text, "");
    EXPECT_EQ(header(unchanged, "ETag"), "\"" + version + "\"");
    headers = {{"If-Match", "\"x\""}};
    EXPECT_EQ(call("GET", url("a")).code(), "precondition_failed");
}

TEST_F(files_test, tell_their_digest_when_they_are_asked) {
    write("a", "1,2\n");
    headers = {{"Want-Repr-Digest", "sha-512=3, sha-256=10"}};
    const char* digest = "sha-256=:UhhskzmT2kCCs83HxAu0v3NbOR/1Si73jAN92mw4poA=:";
    auto first = call("GET", url("a"));
    EXPECT_EQ(header(first, "Repr-Digest"), digest);
    EXPECT_EQ(header(call("GET", url("a")), "Repr-Digest"), header(first, "Repr-Digest"));
    auto put = call("PUT", url("b"), "1,2\n");
    EXPECT_EQ(header(put, "Repr-Digest"), header(first, "Repr-Digest"));
    headers = {{"Want-Repr-Digest", "sha-256=0"}};
    EXPECT_EQ(header(call("GET", url("a")), "Repr-Digest"), "");
}

TEST_F(files_test, are_replaced_on_condition) {
    auto version = call("PUT", url("a"), "1").body["version"].get<std::string>();
    headers = {{"If-Match", "\"" + version + "\""}};
    EXPECT_EQ(call("PUT", url("a"), "2").status, 200);
    auto stale = call("PUT", url("a"), "3");
    EXPECT_EQ(stale.status, 412);
    EXPECT_EQ(stale.code(), "precondition_failed");
    headers = {{"If-None-Match", "*"}};
    EXPECT_EQ(call("PUT", url("a"), "3").status, 412);
    EXPECT_EQ(call("PUT", url("b"), "3").status, 201);
    for (const auto& wrong : {std::pair("If-None-Match", "\"v\""), std::pair("If-Match", "\"v"),
                              std::pair("If-Match", "W/\"v\""), std::pair("If-Match", "")}) {
        headers = {{wrong.first, wrong.second}};
        EXPECT_EQ(call("PUT", url("c"), "3").code(), "invalid_request") << wrong.second;
    }
    EXPECT_EQ(content("a"), "2");
}

TEST_F(files_test, are_listed_in_pages) {
    for (const char* each : {"b", "a/x", "c"}) write(each, each);
    auto first = call("GET", url() + "?limit=2");
    ASSERT_EQ(first.body["items"].size(), 2U);
    EXPECT_EQ(first.body["items"][0]["path"], "a/x");
    EXPECT_EQ(first.body["items"][0]["size"], 3);
    EXPECT_THAT(first.body["items"][0]["last_modified"].get<std::string>(), MatchesRegex("....-..-..T.*Z"));
    auto last = call("GET", url() + "?limit=2&cursor=" + first.body["next_cursor"].get<std::string>());
    EXPECT_EQ(last.body["items"][0]["path"], "c");
    EXPECT_FALSE(last.body.contains("next_cursor"));
    EXPECT_EQ(call("GET", url() + "?prefix=a/").body["items"].size(), 1U);
    for (const char* wrong : {"?limit=0", "?limit=1001", "?cursor=x", "?prefix=../", "?other=1"})
        EXPECT_EQ(call("GET", url() + wrong).status, 400) << wrong;
}

TEST_F(files_test, are_listed_without_names_that_are_no_text) {
    write("a", "x");
    write("\xff", "x");
    EXPECT_EQ(call("GET", url()).body["items"].size(), 1U);
}

TEST_F(files_test, are_deleted_with_their_directory) {
    write("d/a", "x");
    auto gone = call("DELETE", url("d"));
    EXPECT_EQ(gone.status, 200);
    EXPECT_EQ(gone.body["deleted"], true);
    EXPECT_EQ(call("DELETE", url("d")).code(), "file_not_found");
    EXPECT_FALSE(routes.find("DELETE", url()).found) << "the mount itself";
}

TEST_F(files_test, that_cannot_be_had_say_why) {
    fs::create_directory(inside("d"));
    fs::create_symlink("/etc/passwd", inside("l"));
    EXPECT_EQ(call("GET", url("missing")).code(), "file_not_found");
    EXPECT_EQ(call("GET", url("d")).code(), "file_unusable");
    EXPECT_EQ(call("GET", url("l")).code(), "file_unusable");
    EXPECT_EQ(call("PUT", url("d"), "x").code(), "file_unusable");
    EXPECT_EQ(call("GET", url("a%2F%2E%2E%2Fb")).code(), "invalid_request");
    EXPECT_EQ(call("GET", url("a%00b")).code(), "invalid_request");
    EXPECT_THAT(call("GET", url(std::string(256, 'n'))).message(), HasSubstr("255"));
}

TEST_F(files_test, belong_to_their_user) {
    write("a", "x");
    who = caller("ben", http::scope::session);
    for (const char* method : {"GET", "PUT", "DELETE"})
        EXPECT_EQ(call(method, url("a"), "x").code(), "session_not_found");
    EXPECT_EQ(call("GET", url()).code(), "session_not_found");
    EXPECT_EQ(link(R"({"path":"a"})").code(), "session_not_found");
    EXPECT_EQ(content("a"), "x");
    who = caller("ana", http::scope::none);
    EXPECT_EQ(call("GET", url("a")).status, 403);
    who = caller("ana", http::scope::execute);
    EXPECT_EQ(call("GET", url("a")).status, 200);
}

class file_links_test : public files_test {};

TEST_F(file_links_test, need_no_key) {
    write("d/a b\n\"", "x");
    auto made = link(R"({"path":"d/a b\n\"","expires_in_s":60})");
    ASSERT_EQ(made.status, 201) << made.text;
    EXPECT_THAT(made.body["url"], HasSubstr("http://gate.example:1/files/ses_1/d/a%20b%0A%22?expires="));
    who = caller("", http::scope::none);
    auto got = call("GET", target(made));
    EXPECT_EQ(got.text, "x");
    EXPECT_EQ(header(got, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(call("HEAD", target(made)).status, 200);
    EXPECT_EQ(call("PUT", target(made), "y").code(), "link_refused");
}

TEST_F(file_links_test, write_what_is_not_there_yet) {
    auto made = link(R"({"path":"new/a","method":"PUT"})");
    who = caller("", http::scope::none);
    EXPECT_EQ(call("PUT", target(made), "x").status, 201);
    EXPECT_EQ(call("PUT", target(made), "y").status, 200);
    EXPECT_EQ(content("new/a"), "y");
    EXPECT_EQ(call("GET", target(made)).code(), "link_refused");
}

TEST_F(file_links_test, begin_where_the_gateway_is_for_clients) {
    write("a", "x");
    secure = true;
    EXPECT_THAT(link(R"({"path":"a"})").body["url"], HasSubstr("https://gate.example:1/files/"));
    headers = {{"Host", "evil\"><"}};
    EXPECT_EQ(link(R"({"path":"a"})").code(), "invalid_request");
    files::link_rules rules;
    rules.public_url = "https://cells.example/gw";
    options.links = std::make_shared<const files::links>(files::link_signer::make(), rules);
    http::router others;
    add_agent_routes(others, registry, options);
    routes = others;
    EXPECT_THAT(link(R"({"path":"a"})").body["url"], HasSubstr("https://cells.example/gw/files/ses_1/a?"));
}

TEST_F(file_links_test, are_refused_when_anything_of_them_is_changed) {
    write("a", "x");
    write("b", "x");
    add_session();
    auto good = target(link(R"({"path":"a"})"));
    who = caller("", http::scope::none);
    ASSERT_EQ(call("GET", good).status, 200);
    const auto at = good.find("expires=") + 8, sign = good.find("signature=") + 10;
    const auto expires = good.substr(at, good.find('&') - at), signature = good.substr(sign);
    const auto with = [&](const std::string& path, const std::string& until, const std::string& by) {
        return "/files/" + path + "?expires=" + until + "&signature=" + by;
    };
    auto flipped = signature, upper = signature;
    flipped[5] = flipped[5] == '0' ? '1' : '0';
    std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
    const std::string wrong[] = {
        with("ses_1/b", expires, signature),
        with("ses_2/a", expires, signature),
        with("ses_1/A", expires, signature),
        with("ses_1/a%00", expires, signature),
        with("ses_1/%2561", expires, signature),
        with("ses_1/a", std::to_string(std::stoll(expires) + 1), signature),
        with("ses_1/a", "0" + expires, signature),
        with("ses_1/a", expires + "x", signature),
        with("ses_1/a", "", signature),
        with("ses_1/a", expires, ""),
        with("ses_1/a", expires, flipped),
        with("ses_1/a", expires, upper),
        with("ses_1/a", expires, signature.substr(0, 63)),
        with("ses_1/a", expires, signature + "0"),
        "/files/ses_1/a",
        good + "&signature=" + signature,
        good + "&more=1",
    };
    for (const auto& each : wrong) {
        auto refused = call("GET", each);
        EXPECT_THAT(refused.status, testing::AnyOf(400, 403)) << each;
        EXPECT_EQ(refused.text.find(signature), std::string::npos) << "a signature is not echoed";
    }
}

TEST_F(file_links_test, expire) {
    write("a", "x");
    const files::link_signer signer = files::link_signer::make();
    options.links = std::make_shared<const files::links>(signer, files::link_rules{});
    http::router others;
    add_agent_routes(others, registry, options);
    routes = others;
    files::link made{"GET", "ses_1", "a", wall_clock::now() - std::chrono::seconds(1)};
    auto refused = call("GET", "/files/ses_1/a?" + signer.query_of(made));
    EXPECT_EQ(refused.code(), "link_refused");
    EXPECT_THAT(refused.message(), HasSubstr("expired"));
    made.expires += std::chrono::seconds(100);
    EXPECT_EQ(call("GET", "/files/ses_1/a?" + signer.query_of(made)).status, 200);
}

TEST_F(file_links_test, end_with_their_session) {
    write("a", "x");
    auto made = target(link(R"({"path":"a"})"));
    call("DELETE", "/api/v1/sessions/ses_1");
    EXPECT_EQ(call("GET", made).code(), "session_not_found");
}

TEST_F(file_links_test, are_made_of_good_requests_only) {
    write("a", "x");
    const std::pair<const char*, const char*> cases[] = {
        {R"({})", "invalid_request"},
        {R"({"path":""})", "invalid_request"},
        {R"({"path":"../a"})", "invalid_request"},
        {R"({"path":"a\u0000"})", "invalid_request"},
        {R"({"path":"a","method":"DELETE"})", "invalid_request"},
        {R"({"path":"a","expires_in_s":0})", "invalid_request"},
        {R"({"path":"a","expires_in_s":604801})", "invalid_request"},
        {R"({"path":"a","expires_in_s":-1})", "invalid_request"},
        {R"({"path":"a","expires":1})", "unknown_field"},
        {R"({"path":"missing"})", "file_not_found"},
    };
    for (const auto& [body, code] : cases) EXPECT_EQ(link(body).code(), code) << body;
    EXPECT_THAT(link(R"({"path":"a","expires_in_s":604801})").message(), HasSubstr("storage.link_max_s"));
}

}  // namespace
}  // namespace gateway::api::agent
