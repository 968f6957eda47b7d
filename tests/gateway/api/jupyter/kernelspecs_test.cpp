#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/gateway/api/jupyter/fixture.hpp"

namespace gateway::api::jupyter {
namespace {

using sessions::origin;

class kernelspecs : public jupyter_routes {
  protected:
    kernelspecs() {
        write("python3/kernel.json", R"({"argv":["python3","-m","ipykernel_launcher","-f","{connection_file}"],
              "display_name":"Python 3","language":"python","metadata":{"debugger":true},"extra":7})");
        write("python3/logo-64x64.png", "PNG");
        write("secret.txt", "hidden");
    }
    void write(const std::string& file, const std::string& text) {
        auto path = std::filesystem::path(specs.path()) / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    std::shared_ptr<test_support::fake_session> add_running(const std::string& user, const std::string& name) {
        auto made = add_session(user, origin::agent, name);
        made->running = *registry.specs().find("python3");
        return made;
    }
};

TEST_F(kernelspecs, have_everything_that_jupyter_server_and_jupyterlab_check) {
    options.base_url = "/base/";
    serve();
    auto got = call("GET", "/api/kernelspecs").body();
    EXPECT_EQ(got["default"], "python3");
    auto spec = got["kernelspecs"]["python3"];
    EXPECT_EQ(spec["name"], "python3");
    EXPECT_TRUE(spec["spec"]["argv"].is_array());
    EXPECT_TRUE(spec["spec"]["env"].is_object());
    EXPECT_EQ(spec["spec"]["interrupt_mode"], "signal");
    EXPECT_EQ(spec["spec"]["metadata"]["debugger"], true);
    EXPECT_EQ(spec["spec"]["extra"], 7);
    EXPECT_EQ(spec["resources"]["logo-64x64"], "/base/kernelspecs/python3/logo-64x64.png");
}

TEST_F(kernelspecs, offer_each_live_session_of_the_user_as_one_to_attach_to) {
    serve();
    auto mine = add_running("ana", "research");
    add_running("ana", "ended")->now = sessions::session_state::dead;
    add_running("bob", "other");
    auto got = call("GET", "/api/kernelspecs").body();
    ASSERT_EQ(got["kernelspecs"].size(), 2u);
    auto attach = got["kernelspecs"]["attach-" + mine->id()];
    EXPECT_EQ(attach["spec"]["display_name"], "Attach: research");
    EXPECT_EQ(attach["spec"]["language"], "python");
    EXPECT_EQ(attach["spec"]["metadata"]["debugger"], true);
    EXPECT_EQ(attach["spec"]["interrupt_mode"], "signal");
    EXPECT_TRUE(attach["spec"]["argv"].is_array());
    EXPECT_EQ(attach["resources"]["logo-64x64"], "/kernelspecs/attach-" + mine->id() + "/logo-64x64.png");
    EXPECT_EQ(got["default"], "python3");
}

TEST_F(kernelspecs, tolerate_the_user_that_jupyter_server_names) {
    serve();
    add_running("bob", "his");
    EXPECT_EQ(call("GET", "/api/kernelspecs", "", {{"user", "bob"}}).body()["kernelspecs"].size(), 1u);
    EXPECT_EQ(call("GET", "/api/kernelspecs", "", {{"user", "bob/python3"}}).body()["name"], "python3");
    EXPECT_EQ(call("GET", "/api/kernelspecs", "", {{"user", "bob/none"}}).status, 404);
    as("default", http::scope::admin);
    EXPECT_EQ(call("GET", "/api/kernelspecs", "", {{"user", "bob"}}).body()["kernelspecs"].size(), 2u);
    EXPECT_EQ(call("GET", "/api/kernelspecs").body()["kernelspecs"].size(), 1u);
}

TEST_F(kernelspecs, are_found_by_name) {
    serve();
    auto mine = add_running("ana", "research");
    auto others = add_running("bob", "other");
    EXPECT_EQ(call("GET", "/api/kernelspecs/python3").body()["name"], "python3");
    EXPECT_EQ(call("GET", "/api/kernelspecs/attach-" + mine->id()).status, 200);
    EXPECT_EQ(call("GET", "/api/kernelspecs/attach-" + others->id()).status, 404);
    auto missing = call("GET", "/api/kernelspecs/nothing");
    EXPECT_EQ(missing.status, 404);
    EXPECT_THAT(missing.body()["message"].get<std::string>(), testing::HasSubstr("python3"));
}

TEST_F(kernelspecs, name_the_forced_kernel_as_the_default) {
    options.force_kernel_name = "ir";
    serve();
    EXPECT_EQ(call("GET", "/api/kernelspecs").body()["default"], "ir");
}

TEST_F(kernelspecs, serve_their_resources_and_nothing_else) {
    serve();
    auto mine = add_running("ana", "research");
    auto logo = call("GET", "/kernelspecs/python3/logo-64x64.png");
    EXPECT_EQ(logo.status, 200);
    EXPECT_EQ(logo.text, "PNG");
    EXPECT_EQ(logo.whole.content_type, "image/png");
    EXPECT_EQ(call("GET", "/kernelspecs/attach-" + mine->id() + "/logo-64x64.png").text, "PNG");
    for (const char* other : {"kernel.json", "../secret.txt", "..%2Fsecret.txt", "./logo-64x64.png", "missing.png"})
        EXPECT_EQ(call("GET", std::string("/kernelspecs/python3/") + other).status, 404) << other;
}

}  // namespace
}  // namespace gateway::api::jupyter
