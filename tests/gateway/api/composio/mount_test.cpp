// The files of a session as the SDKs ask for them. That links lead to files is shown where links are.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/gateway/api/composio/composio_fixture.hpp"

namespace gateway::api::composio {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class composio_mounts : public composio_fixture {
  protected:
    void SetUp() override {
        composio_fixture::SetUp();
        create();
    }
    void put(const std::string& path, const std::string& text) {
        const std::filesystem::path whole = session()->files_directory() + "/" + path;
        std::filesystem::create_directories(whole.parent_path());
        std::ofstream(whole) << text;
    }
    reply items(const std::string& query = "") { return call("GET", base + "/" + id + "/mounts/files/items" + query); }
    reply ask(const std::string& what, const std::string& path) {
        return post("/mounts/files/" + what, json{{"mount_relative_path", path}}.dump());
    }
};

TEST_F(composio_mounts, list_files_page_by_page_without_a_null_cursor) {
    put("a.csv", "1");
    put("data/b.csv", "22");
    auto all = items("?limit=500").body;
    ASSERT_EQ(all["items"].size(), 2u);
    EXPECT_EQ(all["items"][1]["mount_relative_path"], "data/b.csv");
    EXPECT_EQ(all["items"][1]["sandbox_mount_prefix"], "/mnt/files");
    EXPECT_EQ(all["items"][1]["size"], 2);
    EXPECT_THAT(all["items"][1]["last_modified"].get<std::string>(), HasSubstr("T"));
    EXPECT_FALSE(all.contains("next_cursor"));
    auto first = items("?limit=1").body;
    ASSERT_TRUE(first["next_cursor"].is_string());
    auto second = items("?limit=1&cursor=" + first["next_cursor"].get<std::string>()).body;
    EXPECT_EQ(second["items"][0]["mount_relative_path"], "data/b.csv");
    EXPECT_EQ(items("?mount_relative_prefix=data/").body["items"].size(), 1u);
    for (const char* top : {"/mnt/files", "/mnt/files/", "mnt/files", "mnt/files/", "/", ""})
        EXPECT_EQ(items(std::string("?mount_relative_prefix=") + top).body["items"].size(), 2u) << top;
    EXPECT_EQ(items("?mount_relative_prefix=mnt/files/data").body["items"].size(), 1u);
    EXPECT_EQ(items("?limit=0").status, 400);
    EXPECT_EQ(items("?cursor=no-such").status, 400);
}

TEST_F(composio_mounts, give_links_with_everything_that_clients_read) {
    auto up = ask("upload_url", "/mnt/files/in/a.csv");
    EXPECT_EQ(up.status, 201);
    EXPECT_EQ(up.body["mount_relative_path"], "in/a.csv");
    EXPECT_EQ(up.body["sandbox_mount_prefix"], "/mnt/files");
    EXPECT_THAT(up.body["upload_url"].get<std::string>(),
                StartsWith("http://localhost:8888/files/" + id + "/in/a.csv?"));
    put("in/a.csv", "1");
    auto down = ask("download_url", "/in/a.csv");
    EXPECT_EQ(down.status, 201);
    EXPECT_EQ(down.body["mount_relative_path"], "in/a.csv");
    EXPECT_THAT(down.body["expires_at"].get<std::string>(), HasSubstr("T"));
    EXPECT_NE(down.body["download_url"], up.body["upload_url"]);
}

TEST_F(composio_mounts, begin_links_with_the_public_address) {
    options.links = std::make_shared<files::links>(files::link_signer::make(),
                                                   files::link_rules{"https://blobs.example/cell", "/", {}});
    TearDown();
    routes = http::router();
    SetUp();
    EXPECT_THAT(ask("upload_url", "a").body["upload_url"].get<std::string>(),
                StartsWith("https://blobs.example/cell/files/"));
}

TEST_F(composio_mounts, say_what_is_wrong) {
    EXPECT_EQ(ask("download_url", "nothing").status, 404);
    for (const char* path : {"../x", "a/../../x", "", "/", "/mnt/files/", "a//b", "."})
        EXPECT_EQ(ask("upload_url", path).status, 400) << path;
    EXPECT_EQ(post("/mounts/files/upload_url", "{}").error(), R"(Validation error: Required at "mount_relative_path")");
    EXPECT_EQ(post("/mounts/files/upload_url", R"({"mount_relative_path":"a","mimetype":7})").status, 400);
    EXPECT_EQ(post("/mounts/files/upload_url", R"({"mount_relative_path":"a","mimetype":"text/csv\r\nX: y"})").status,
              400);
    EXPECT_EQ(post("/mounts/other/upload_url", R"({"mount_relative_path":"a"})").status, 404);
    EXPECT_EQ(call("GET", base + "/ses_none/mounts/files/items").status, 404);
}

TEST_F(composio_mounts, delete_files_and_directories_also_twice) {
    put("d/a", "1");
    put("d/e/b", "2");
    EXPECT_EQ(ask("delete", "/d/a").body,
              (json{{"mount_relative_path", "d/a"}, {"sandbox_mount_prefix", "/mnt/files"}}));
    EXPECT_EQ(ask("delete", "d").status, 200);
    EXPECT_EQ(ask("delete", "d").status, 200);
    EXPECT_TRUE(items().body["items"].empty());
    EXPECT_EQ(ask("delete", "..").status, 400);
}

}  // namespace
}  // namespace gateway::api::composio
