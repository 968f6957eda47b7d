#include "messaging/connection_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace messaging {
namespace {

connection_info tcp() { return {"tcp", "127.0.0.1", 1001, 1002, 1003, 1004, 1005, "key", "hmac-sha256", "python3"}; }

nlohmann::json file() { return nlohmann::json::parse(to_json(tcp())); }

bool is_refused(const nlohmann::json& text) {
    return parse_connection_file(text.dump()).error() == errc::bad_connection_file;
}

TEST(connection_file, gives_back_what_was_written) {
    EXPECT_EQ(parse_connection_file(to_json(tcp())).value(), tcp());
    connection_info ipc;
    ipc.ip = "/run/k/k";
    EXPECT_EQ(parse_connection_file(to_json(ipc)).value(), ipc);
}

TEST(connection_file, has_ports_as_numbers) { EXPECT_TRUE(file()["shell_port"].is_number_integer()); }

TEST(connection_file, names_its_endpoints) {
    EXPECT_EQ(tcp().endpoint(4711), "tcp://127.0.0.1:4711");
    connection_info info;
    info.ip = "/run/k/k";
    EXPECT_EQ(info.endpoint(info.iopub_port), "ipc:///run/k/k-2");
    info.transport = "tcp";
    info.ip = "::1";
    EXPECT_EQ(info.endpoint(7), "tcp://[::1]:7");
}

TEST(connection_file, takes_what_jupyter_leaves_out_or_adds) {
    auto text = file();
    for (const char* name : {"transport", "ip", "kernel_name", "signature_scheme"}) text.erase(name);
    text["jupyter_session"] = "/a.ipynb";
    auto expected = tcp();
    expected.kernel_name.clear();
    EXPECT_EQ(parse_connection_file(text.dump()).value(), expected);
}

TEST(connection_file, refuses_bad_fields) {
    auto with = [](const char* name, nlohmann::json value) {
        auto text = file();
        text[name] = std::move(value);
        return text;
    };
    EXPECT_TRUE(is_refused(with("transport", "pgm")));
    EXPECT_TRUE(is_refused(with("transport", 1)));
    EXPECT_TRUE(is_refused(with("ip", std::string("a\0b", 3))));
    EXPECT_TRUE(is_refused(with("key", nullptr)));
    EXPECT_TRUE(is_refused(with("signature_scheme", "hmac-rot13")));
    for (nlohmann::json port : {nlohmann::json(0), nlohmann::json(65'536), nlohmann::json(-1), nlohmann::json("1001"),
                                nlohmann::json(1.5), nlohmann::json(18446744073709551615u)})
        EXPECT_TRUE(is_refused(with("hb_port", port))) << port;
    EXPECT_TRUE(is_refused(with("hb_port", 1001)));  // shell's
    auto no_port = file();
    no_port.erase("stdin_port");
    EXPECT_TRUE(is_refused(no_port));
    auto ipc = with("transport", "ipc");
    ipc.erase("ip");
    EXPECT_TRUE(is_refused(ipc));
}

TEST(connection_file, refuses_what_is_not_an_object) {
    for (const char* text : {"", "[]", "null", "{", "{}", "\xFF"}) EXPECT_FALSE(parse_connection_file(text)) << text;
    EXPECT_FALSE(parse_connection_file(std::string(1'000'000, '[')));
}

}  // namespace
}  // namespace messaging
