#include "gateway/egress/client_hello.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "tests/gateway/egress/tls_bytes.hpp"

namespace gateway::egress {
namespace {

using state = hello_reader::state;

constexpr std::size_t max_bytes = 64u << 10;

state state_of(const std::string& bytes, std::size_t most = max_bytes) { return hello_reader(most).feed(bytes); }

client_hello read(const std::string& bytes) {
    hello_reader reader(max_bytes);
    EXPECT_EQ(reader.feed(bytes), state::done);
    return reader.hello();
}

// "" when it may begin.
std::string judged(const std::string& bytes, const char* to, network_mode mode = network_mode::allow) {
    auto why = judge(read(bytes), *parse_destination(to, 443), mode);
    return why ? to_string(*why) : "";
}

TEST(client_hello, tells_the_server_name) {
    EXPECT_EQ(read(hello_for("a.test")).server_name, "a.test");
    EXPECT_FALSE(read(hello_for("a.test")).encrypted);
    EXPECT_FALSE(read(records(hello_message(""))).server_name);
}

TEST(client_hello, of_openssl_is_read) {
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    SSL* ssl = SSL_new(context);
    BIO* sent = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), sent);
    SSL_set_tlsext_host_name(ssl, "files.example.test");
    SSL_connect(ssl);
    char* data = nullptr;
    auto size = BIO_get_mem_data(sent, &data);
    EXPECT_EQ(read(std::string(data, static_cast<std::size_t>(size))).server_name, "files.example.test");
    SSL_free(ssl);
    SSL_CTX_free(context);
}

TEST(client_hello, may_come_byte_by_byte_and_in_many_records) {
    for (std::size_t piece : {1u, 3u, 100u}) {
        auto bytes = records(hello_message(server_name("a.test")), piece);
        hello_reader reader(max_bytes);
        for (std::size_t at = 0; at + 1 < bytes.size(); ++at)
            ASSERT_EQ(reader.feed(bytes.substr(at, 1)), state::more) << at;
        EXPECT_EQ(reader.feed(bytes.substr(bytes.size() - 1)), state::done);
        EXPECT_EQ(reader.hello().server_name, "a.test");
    }
}

TEST(client_hello, what_follows_its_record_is_not_looked_at) {
    EXPECT_EQ(read(hello_for("a.test") + hello_for("b.test")).server_name, "a.test");
}

TEST(client_hello, has_a_greatest_size) {
    auto large = [](std::size_t padding) {
        return records(hello_message(extension(21, std::string(padding, '\0')) + server_name("a.test")));
    };
    auto most = large(65000);
    EXPECT_EQ(state_of(most, most.size()), state::done);
    EXPECT_EQ(state_of(most, most.size() - 1), state::malformed);
    EXPECT_EQ(state_of("\x16\x03\x01\x01" + std::string(1, '\0') + "\x01\xff\xff\xff"), state::malformed);
}

TEST(client_hello, other_protocols_are_told_by_their_first_bytes) {
    for (const char* each : {"SSH-2.0-OpenSSH_9\r\n", "GET / HTTP/1.1\r\n", "\x16\x02", "\x80\x2e\x01", "\x17\x03\x03"})
        EXPECT_EQ(state_of(each), state::not_tls) << each;
    EXPECT_EQ(state_of(""), state::more);
    EXPECT_EQ(state_of("\x16"), state::more);
}

TEST(client_hello, that_is_malformed_is_refused) {
    auto message = hello_message(server_name("a.test"));
    auto other_length = [&](int by) {
        auto made = message;
        made[3] = static_cast<char>(made[3] + by);
        return records(made);
    };
    std::string two_names = with_length(
        std::string(1, '\0') + with_length("a.test", 2) + std::string(1, '\0') + with_length("b.test", 2), 2);
    const std::string table[] = {
        records("\x02" + message.substr(1)),                  // another message
        other_length(-1),                                     // something behind it
        records(message + "x"),                               // too
        "\x16\x03\x01" + number(0, 2),                        // an empty record
        "\x16\x03\x01" + number((1u << 14) + 1, 2),           // one that is too long
        records(message, 50).substr(0, 55) + "\x17\x03\x03",  // another record within
        records(hello_message(server_name("a.test") + server_name("b.test"))),
        records(hello_message(extension(0, two_names))),
        records(hello_message(server_name(""))),
        records(hello_message(extension(0, ""))),
        records(hello_message(extension(0, with_length("\x01" + with_length("a.test", 2), 2)))),
        records(hello_message(extension(0, with_length(std::string(1, '\0') + with_length("a", 2), 2) + "x"))),
        records(hello_message("\x01")),                       // a cut extension
        records(std::string("\x01\x00\x00\x02\x03\x03", 6)),  // a cut hello
    };
    for (const auto& each : table) EXPECT_EQ(state_of(each), state::malformed) << &each - table;
}

TEST(client_hello, stays_malformed) {
    hello_reader reader(max_bytes);
    EXPECT_EQ(reader.feed("SSH"), state::not_tls);
    EXPECT_EQ(reader.feed(hello_for("a.test")), state::not_tls);
}

TEST(judge, the_server_name_is_that_of_connect) {
    EXPECT_EQ(judged(hello_for("a.test"), "a.test"), "");
    EXPECT_EQ(judged(hello_for("A.Test"), "a.TEST."), "");
    for (const char* each : {"b.test", "a.test.", "xa.test", "a.tes", "a.test.b", "1.1.1.1"})
        EXPECT_EQ(judged(hello_for(each), "a.test"), "server_name_mismatch") << each;
    EXPECT_EQ(judged(hello_for(std::string("a.test\0", 7)), "a.test"), "server_name_mismatch");
    EXPECT_EQ(judged(records(hello_message("")), "a.test"), "server_name_missing");
}

TEST(judge, an_address_has_no_server_name) {
    EXPECT_EQ(judged(records(hello_message("")), "1.1.1.1"), "");
    EXPECT_EQ(judged(hello_for("a.test"), "1.1.1.1"), "server_name_mismatch");
    EXPECT_EQ(judged(hello_for("1.1.1.1"), "1.1.1.1"), "server_name_mismatch");
}

TEST(judge, a_hidden_name_is_for_mode_all_only) {
    for (unsigned type : {0xfe0du, 0xffceu}) {
        auto bytes = records(hello_message(server_name("public.test") + extension(type, "x")));
        EXPECT_EQ(judged(bytes, "public.test"), "encrypted_client_hello");
        EXPECT_EQ(judged(bytes, "secret.test", network_mode::all), "");
    }
    EXPECT_EQ(judged(hello_for("b.test"), "a.test", network_mode::all), "server_name_mismatch");
}

}  // namespace
}  // namespace gateway::egress
