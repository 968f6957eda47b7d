#include "kernel/launcher/codec.hpp"

#include <gmock/gmock.h>

namespace kernel {
namespace {

zygote_command a_zygote() { return {{"/z", "--zygote", "\xff"}, {{"/venv", "/venv", false}}, 1, 2}; }

launch_request full_request() {
    launch_request what;
    what.id = "k";
    what.argv = {"/usr/bin/python3", "-c", "print(\"\\n\")"};
    what.env = {{"A", "caf\xe9"}, {"\xff", std::string("\0\x7f\x80", 3)}};
    what.working_dir = "/mnt/files/\xc3\xa9";
    what.mounts = {{"/a", "/b", true}, {"/c", "/d", false}};
    what.hostname = "h";
    what.output_file = "/o";
    what.limits = {500, 1ll << 40, 1'024};
    what.own_network = true;
    what.relays = {{"/run/k/k-1", 4711}, {"\xff", 0}};
    return what;
}

TEST(the_launchers_codec, gives_back_what_it_was_given) {
    launch_request forked = full_request();
    forked.zygote = a_zygote();
    for (const command& each :
         {command(full_request()), command(forked), command(signal_command{"k", 2}), command(kill_command{"k"}),
          command(prepare_command{a_zygote()}), command(run_request{"r", "k", {"a", "\xff"}, {{"A", "\xe9"}}, "/d"}),
          command(run_signal{"r", 15, true}), command(limit_command{"k", {1, 1ll << 40, 3}})})
        EXPECT_EQ(decode_command(encode(each)), each);
    for (const reply& each :
         {reply(launch_answer{"k", 5, 4, "no \xff"}), reply(exit_notice{"k", -1}), reply(exit_notice{"k", 9, true}),
          reply(limits_notice{true, false, true, "no \xff", "none"}), reply(signal_notice{"k"}),
          reply(run_answer{"r", 5, "no \xff", true}), reply(run_end{"r", 9, true})})
        EXPECT_EQ(decode_reply(encode(each)), each);
}

TEST(the_launchers_codec, gives_back_findings) {
    for (const finding& each :
         {finding{"a", finding_state::present, "b \xff"}, finding{"a", finding_state::missing, ""}})
        EXPECT_EQ(decode_finding(encode(each)), each);
    for (const char* each :
         {"", "{}", "[]", R"({"subject":"a","text":"b"})", R"({"subject":1,"text":"b","missing":true})"})
        EXPECT_EQ(decode_finding(each), std::nullopt) << each;
}

TEST(the_launchers_codec, gives_back_what_a_zygote_is_told_and_tells) {
    zygote_order order =
        fork_request{"k", {"cellgate-kernel", "-f", "\xe9"}, {{"A", "b\xff"}}, "/home/user", true, true, true, true};
    EXPECT_EQ(decode_zygote_order(encode(order)), order);
    for (const zygote_reply& each : {zygote_reply(zygote_ready{}), zygote_reply(fork_done{"k", 5}),
                                     zygote_reply(fork_refusal{"k", "no \xff", true}), zygote_reply(child_end{5, 9})})
        EXPECT_EQ(decode_zygote_reply(encode(each)), each);
}

TEST(the_launchers_codec, refuses_what_no_zygote_says) {
    for (const char* each : {"", "{}", R"({"ready":null})", R"({"forked":{"id":"k"}})", R"({"ended":{"pid":"1"}})",
                             R"({"refused":{"id":"k","error":"","spent":1}})", R"({"exit":{"id":"k","status":0}})"})
        EXPECT_FALSE(decode_zygote_reply(each)) << each;
    for (const char* each : {"", "{}", R"({"fork":{"id":"k"}})", R"({"kill":{"id":"k"}})"})
        EXPECT_FALSE(decode_zygote_order(each)) << each;
}

TEST(the_launchers_codec, refuses_what_is_not_a_command) {
    for (const char* each :
         {"",
          "{",
          "[]",
          "{}",
          "null",
          R"({"kill":{}})",
          R"({"kill":{"id":1}})",
          R"({"kill":"k"})",
          R"({"signal":{"id":"k","number":"2"}})",
          R"({"signal":{"id":"k","number":4294967298}})",
          R"({"signal":{"id":"k","number":18446744073709551615}})",
          R"({"signal":{"id":"k","number":2.5}})",
          R"({"launch":{"id":"k"}})",
          R"({"run":{"id":"r","box":"k","argv":[],"env":{}}})",
          R"({"run_signal":{"id":"r","number":9,"sweep":1}})",
          R"({"run_end":{"id":"r","status":0,"box_ended":true}})",
          R"({"limit":{"id":"k"}})",
          R"({"limit":{"id":"k","limits":{"cpu_millis":1,"memory_bytes":1.5,"pids":1}}})",
          R"({"limit":{"id":"k","limits":{"cpu_millis":1,"memory_bytes":18446744073709551615,"pids":1}}})",
          R"({"prepare":{}})",
          R"({"prepare":{"zygote":{"argv":"/z","mounts":[]}}})",
          R"({"answer":{"id":"k","pid":1,"init_pid":1,"error":""}})",
          R"({"kill":{"id":"\u0100"}})",
          R"({"kill":{"id":"\ud83d\ude00"}})"})
        EXPECT_FALSE(decode_command(each)) << each;
}

TEST(the_launchers_codec, refuses_a_launch_with_one_wrong_field) {
    launch_request forked = full_request();
    forked.zygote = a_zygote();
    std::string good = encode(command(forked));
    ASSERT_TRUE(decode_command(good));
    for (const char* each :
         {"\"argv\"", "\"env\"", "\"mounts\"", "\"source\"", "\"writable\"", "\"hostname\"", "\"memory_bytes\""}) {
        std::string bad = good;
        bad.replace(bad.find(each) + 1, 1, "X");
        EXPECT_FALSE(decode_command(bad)) << each;
    }
}

}  // namespace
}  // namespace kernel
