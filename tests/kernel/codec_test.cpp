#include "kernel/launcher/codec.hpp"

#include <gmock/gmock.h>

namespace kernel {
namespace {

launch_request full_request() {
    launch_request what;
    what.id = "k";
    what.argv = {"/usr/bin/python3", "-c", "print(\"\\n\")"};
    what.env = {{"A", "caf\xe9"}, {"\xff", std::string("\0\x7f\x80", 3)}};
    what.working_dir = "/mnt/files/\xc3\xa9";
    what.mounts = {{"/a", "/b", true}, {"/c", "/d", false}};
    what.hostname = "h";
    what.output_file = "/o";
    return what;
}

TEST(the_launchers_codec, gives_back_what_it_was_given) {
    for (const command& each : {command(full_request()), command(signal_command{"k", 2}), command(kill_command{"k"})})
        EXPECT_EQ(decode_command(encode(each)), each);
    for (const reply& each :
         {reply(launch_answer{"k", 5, 4, "no \xff"}), reply(exit_notice{"k", -1}), reply(signal_notice{"k"})})
        EXPECT_EQ(decode_reply(encode(each)), each);
}

TEST(the_launchers_codec, refuses_what_is_not_a_command) {
    for (const char* each :
         {"", "{", "[]", "{}", "null", R"({"kill":{}})", R"({"kill":{"id":1}})", R"({"kill":"k"})",
          R"({"signal":{"id":"k","number":"2"}})", R"({"signal":{"id":"k","number":4294967298}})",
          R"({"signal":{"id":"k","number":18446744073709551615}})", R"({"signal":{"id":"k","number":2.5}})",
          R"({"launch":{"id":"k"}})", R"({"answer":{"id":"k","pid":1,"init_pid":1,"error":""}})",
          R"({"kill":{"id":"\u0100"}})", R"({"kill":{"id":"\ud83d\ude00"}})"})
        EXPECT_FALSE(decode_command(each)) << each;
}

TEST(the_launchers_codec, refuses_a_launch_with_one_wrong_field) {
    std::string good = encode(command(full_request()));
    ASSERT_TRUE(decode_command(good));
    for (const char* each : {"\"argv\"", "\"env\"", "\"mounts\"", "\"source\"", "\"writable\"", "\"hostname\""}) {
        std::string bad = good;
        bad.replace(bad.find(each) + 1, 1, "X");
        EXPECT_FALSE(decode_command(bad)) << each;
    }
}

}  // namespace
}  // namespace kernel
