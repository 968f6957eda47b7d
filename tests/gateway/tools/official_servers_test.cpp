// The official MCP servers, as the set-up installs them (tests/conformance/node).
#include <signal.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <cstdio>
#include <filesystem>

#include "tests/gateway/tools/toolbox_fixture.hpp"

namespace gateway::tools {
namespace {

using nlohmann::json;
using test_support::run_until;

std::string script_of(const char* server) {
    return std::string(CELLGATE_MCP_SERVERS) + "/@modelcontextprotocol/" + server + "/dist/index.js";
}

struct official : toolbox_test {
    toolkit_options made;
    void over_stdio(const char* name, const char* server, std::vector<std::string> words) {
        ASSERT_TRUE(std::filesystem::exists(script_of(server))) << "run ./dev setup";
        made.name = name;
        made.command = {CELLGATE_NODE, script_of(server)};
        made.command.insert(made.command.end(), words.begin(), words.end());
        open(made);
    }
};

TEST_F(official, everything_echoes_adds_and_shows_an_image) {
    over_stdio("EVERYTHING", "server-everything", {"stdio"});
    EXPECT_EQ(data("EVERYTHING_ECHO", R"({"message":"hi"})"), json::parse(R"({"text":"Echo: hi"})"));
    EXPECT_TRUE(has(data("EVERYTHING_GET_SUM", R"({"a":2,"b":3})").dump(), "5"));
    EXPECT_EQ(data("EVERYTHING_GET_TINY_IMAGE")["content"][1]["type"], "image");
    EXPECT_TRUE(data("EVERYTHING_GET_STRUCTURED_CONTENT", R"({"location":"Chicago"})").contains("temperature"));
}

TEST_F(official, everything_refuses_arguments_of_the_wrong_type) {
    over_stdio("EVERYTHING", "server-everything", {"stdio"});
    auto answer = call("EVERYTHING_GET_SUM", R"({"a":"x"})");
    auto said = answer ? json::parse(*answer)["error"].dump() : answer.error().message;
    EXPECT_TRUE(has(said, "nvalid")) << said;
}

TEST_F(official, everything_lists_its_tools_with_schemas) {
    over_stdio("EVERYTHING", "server-everything", {"stdio"});
    auto found = test_support::await(io, box->list());
    auto sum =
        std::find_if(found.begin(), found.end(), [](const auto& each) { return each.slug == "EVERYTHING_GET_SUM"; });
    ASSERT_NE(sum, found.end());
    EXPECT_EQ(sum->name, "get-sum");
    EXPECT_TRUE(json::parse(sum->input_schema)["properties"].contains("a"));
    EXPECT_FALSE(sum->description.empty());
}

TEST_F(official, filesystem_writes_reads_and_refuses_what_is_outside) {
    over_stdio("FILES", "server-filesystem", {directory.path()});
    auto path = directory.path() + "/note.txt";
    data("FILES_WRITE_FILE", json{{"path", path}, {"content", "from a tool"}}.dump());
    EXPECT_TRUE(has(data("FILES_READ_TEXT_FILE", json{{"path", path}}.dump()).dump(), "from a tool"));
    auto answer = json::parse(*call("FILES_READ_TEXT_FILE", R"({"path":"/etc/passwd"})"));
    EXPECT_TRUE(has(answer["error"].get<std::string>(), "Access denied")) << answer.dump();
}

// server-everything over Streamable HTTP. It prints when it listens.
class http_server {
  public:
    http_server(asio::io_context& io, std::uint16_t port) {
        auto env = "PORT=" + std::to_string(port) + " ";
        auto command =
            "exec env " + env + CELLGATE_NODE + " " + script_of("server-everything") + " streamableHttp 2>&1";
        output_ = ::popen(("echo $$; " + command).c_str(), "r");
        char line[256];
        if (std::fgets(line, sizeof line, output_)) pid_ = std::atoi(line);
        while (std::fgets(line, sizeof line, output_))
            if (has(line, "listening")) break;
        (void)io;
    }
    ~http_server() {
        ::kill(pid_, SIGKILL);
        ::pclose(output_);
    }

  private:
    FILE* output_ = nullptr;
    pid_t pid_ = 0;
};

std::uint16_t free_port(asio::io_context& io) {
    return asio::ip::tcp::acceptor(io, {asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

TEST_F(official, everything_over_http_survives_its_own_restart) {
    auto port = free_port(io);
    auto server = std::make_unique<http_server>(io, port);
    made.name = "WEB";
    made.url = "http://127.0.0.1:" + std::to_string(port) + "/mcp";
    open(made);
    EXPECT_EQ(data("WEB_ECHO", R"({"message":"hi"})"), json::parse(R"({"text":"Echo: hi"})"));
    server.reset();
    EXPECT_FALSE(call("WEB_ECHO", R"({"message":"hi"})"));
    server = std::make_unique<http_server>(io, port);
    EXPECT_TRUE(run_until(
        io, [&] { return call("WEB_ECHO", R"({"message":"hi"})").has_value(); }, std::chrono::seconds(30)));
    EXPECT_TRUE(has(data("WEB_GET_SUM", R"({"a":2,"b":3})").dump(), "5"));
    stop();
    box.reset();
}

}  // namespace
}  // namespace gateway::tools
