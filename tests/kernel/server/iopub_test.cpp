// What clients get on iopub.
#include <ctime>
#include <future>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/kernel/server/fixture.hpp"

namespace kernel {
namespace {

using messaging::channel;
using nlohmann::json;

class iopub_test : public kernel_server_test {
  protected:
    void out(std::string_view text, const parent_text& parent = nullptr) {
        server->write(output_stream::out, text, parent);
    }
    void end_cell() { server->publish(output_of("status")); }
    // The routing ids by which it can be answered.
    std::vector<std::string> asks(test_client& who) {
        who.send(channel::control, "resend_request");
        return sink.next_request().value().identities;
    }
    // A message that was sent again, as it was but for what it was sent by.
    static messaging::message next_again(test_client& to) {
        auto came = to.next(channel::control).value();
        auto metadata = json::parse(came.metadata);
        EXPECT_GT(metadata.at("cellgate_resent"), 0);
        metadata.erase("cellgate_resent");
        came.metadata = metadata.dump();
        came.where = channel::iopub;
        came.identities = {type_of(came)};
        return came;
    }
};

TEST_F(iopub_test, welcomes_each_subscription) {
    start({.session = "the kernel"});
    connect();
    const auto& welcome = *client->welcome();
    EXPECT_EQ(type_of(welcome), "iopub_welcome");
    EXPECT_EQ(welcome.identities.size(), 0u);
    EXPECT_EQ(welcome.content, R"({"subscription":""})");
    EXPECT_EQ(welcome.parent_header, "{}");
    auto header = json::parse(welcome.header);
    EXPECT_EQ(header["session"], "the kernel");
    EXPECT_EQ(header["version"], "5.5");

    test_client other(server->where(), "other", 0, "stream");
    EXPECT_EQ(other.welcome()->content, R"({"subscription":"stream"})");
    EXPECT_EQ(other.welcome()->identities, std::vector<std::string>{"stream"});
}

TEST_F(iopub_test, publishes_as_it_is_told_but_for_the_number) {
    start();
    connect();
    auto told = output_of("display_data", R"({"data":{}})", R"({"msg_id":"p"})");
    told.metadata = R"({"a":1})";
    told.buffers = {"b", ""};
    server->publish(told);
    auto came = client->next_output();
    EXPECT_EQ(came.metadata, R"({"a":1,"cellgate_seq":1})");
    came.metadata = told.metadata;
    EXPECT_EQ(came, told);
}

TEST_F(iopub_test, makes_stream_messages_of_text) {
    start({.session = "the kernel"});
    connect();
    server->write(output_stream::err, "a \"b\"\n", parent_called("p"));
    auto came = client->next_output();
    EXPECT_EQ(type_of(came), "stream");
    EXPECT_EQ(came.identities, std::vector<std::string>{"stream.stderr"});
    EXPECT_EQ(came.parent_header, *parent_called("p"));
    EXPECT_EQ(json::parse(came.content), json({{"name", "stderr"}, {"text", "a \"b\"\n"}}));
    auto header = json::parse(came.header);
    EXPECT_EQ(header["session"], "the kernel");
    EXPECT_EQ(header["version"], "5.5");
    EXPECT_EQ(number_of(came), 1u);
}

TEST_F(iopub_test, numbers_everything_in_order) {
    start();
    connect();
    for (int index = 0; index < 100; ++index) {
        out(std::to_string(index));
        server->publish(output_of("display_data"));
    }
    for (std::uint64_t number = 1; number <= 200; ++number) ASSERT_EQ(number_of(client->next_output()), number);
}

TEST_F(iopub_test, sends_text_after_a_while_without_anything_else) {
    start({.coalescing = std::chrono::milliseconds(20)});
    connect();
    out("a");
    out("b");
    EXPECT_EQ(text_of(client->next_output()), "ab");
}

TEST_F(iopub_test, sends_text_at_once_when_it_is_flushed) {
    start({.coalescing = std::chrono::hours(1)});
    connect();
    out("a");
    server->flush();
    EXPECT_EQ(text_of(client->next_output()), "a");
}

TEST_F(iopub_test, sends_a_cells_text_before_the_end_of_the_cell) {
    start({.coalescing = std::chrono::hours(1)});
    connect();
    for (int cell = 0; cell < 50; ++cell) {
        out("text", parent_called(std::to_string(cell)));
        server->publish(output_of("status", R"({"execution_state":"idle"})", *parent_called(std::to_string(cell))));
        auto came = client->outputs_until("status");
        ASSERT_EQ(came.size(), 2u);
        ASSERT_EQ(came[0].parent_header, came[1].parent_header);
    }
}

TEST_F(iopub_test, replaces_what_is_no_utf8) {
    start();
    connect();
    out("a\xFF"
        "b\xED\xA0\x80"
        "c\xE2\x82");
    end_cell();
    server->stop();
    EXPECT_EQ(all_text(client->outputs_until("status")),
              "a\uFFFD"
              "b\uFFFD\uFFFD\uFFFD"
              "c");
    EXPECT_EQ(text_of(client->next_output()), "\uFFFD");
}

TEST_F(iopub_test, carries_a_message_of_many_megabytes) {
    start();
    connect();
    auto content = "{\"data\":\"" + std::string(64 << 20, 'x') + "\"}";
    server->publish(output_of("display_data", content));
    EXPECT_TRUE(client->next_output().content == content);
}

// 300 cells while three threads print, as fast as they can.
TEST_F(iopub_test, takes_output_of_many_threads_complete_and_in_order) {
    start();
    connect();
    constexpr int cells = 300, lines = 20;
    auto print = [&](const std::string& name) {
        for (int cell = 0; cell < cells; ++cell) {
            auto parent = parent_called(name);
            for (int line = 0; line < lines; ++line)
                out(name + " " + std::to_string(cell * lines + line) + "\n", parent);
            server->publish(output_of("display_data", "{}", *parent));
        }
    };
    std::vector<std::thread> writers;
    for (auto name : {"a", "b", "c"}) writers.emplace_back(print, name);
    for (auto& each : writers) each.join();
    end_cell();

    auto came = client->outputs_until("status");
    for (std::size_t index = 0; index < came.size(); ++index) ASSERT_EQ(number_of(came[index]), index + 1);
    for (std::string name : {"a", "b", "c"}) {
        std::string text, expected;
        int displays = 0;
        for (const auto& each : came) {
            if (each.parent_header != *parent_called(name)) continue;
            if (type_of(each) == "stream")
                text += text_of(each);
            else
                ++displays;
            // A cell's text is there before what was published after it.
            ASSERT_LE(displays * lines, std::count(text.begin(), text.end(), '\n'));
        }
        for (int line = 0; line < cells * lines; ++line) expected += name + " " + std::to_string(line) + "\n";
        EXPECT_EQ(text, expected);
        EXPECT_EQ(displays, cells);
    }
}

// Of a processor: the machine may have other work.
std::chrono::nanoseconds time_of_this_thread() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TEST_F(iopub_test, takes_200000_lines_in_well_under_a_second) {
    start();
    connect();
    auto parent = parent_called("p");
    auto before = time_of_this_thread();
    for (int line = 0; line < 200'000; ++line) out("a short line\n", parent);
    EXPECT_LT(time_of_this_thread() - before, std::chrono::seconds(1));
    end_cell();
    auto came = client->outputs_until("status");
    EXPECT_EQ(all_text(came).size(), 200'000u * 13);
    EXPECT_LT(came.size(), 200u);
}

// ---- what is not read

class unread_output_test : public iopub_test {
  protected:
    static constexpr std::size_t limit = 8 << 20;

    // A subscriber that reads nothing, until it is asked to.
    void start_with_idler() {
        start({.unsent_limit = limit});
        client = std::make_unique<test_client>(server->where(), "idler", 1);
    }
    // Publishes until there is no room; returns how many.
    int fill() {
        int count = 0;
        while (server->wait_for_room(std::chrono::milliseconds(200))) {
            server->publish(output_of("display_data", "\"" + std::string(1 << 20, 'x') + "\""));
            ++count;
        }
        return count;
    }
};

TEST_F(unread_output_test, makes_writers_wait_at_the_limit) {
    start_with_idler();
    int count = fill();
    EXPECT_GE(count, 8);
    EXPECT_LT(count, 16);
    EXPECT_GE(server->unsent(), limit);
    EXPECT_LT(server->unsent(), limit + (2 << 20));
}

TEST_F(unread_output_test, lets_writers_go_on_when_it_is_read) {
    start_with_idler();
    int count = fill();
    auto waiting = std::async(std::launch::async, [&] { return server->wait_for_room(patience); });
    for (int index = 0; index < count; ++index) client->next_output();
    EXPECT_TRUE(waiting.get());
    EXPECT_TRUE(wait_until([&] { return server->unsent() == 0; }));
}

TEST_F(unread_output_test, is_freed_when_the_subscriber_goes) {
    start_with_idler();
    fill();
    client.reset();
    EXPECT_TRUE(server->wait_for_room(patience));
    EXPECT_TRUE(wait_until([&] { return server->unsent() == 0; }));
}

TEST_F(unread_output_test, is_nothing_when_nobody_subscribes) {
    start({.unsent_limit = limit});
    for (int index = 0; index < 50; ++index) {
        ASSERT_TRUE(server->wait_for_room(patience));
        server->publish(output_of("display_data", std::string(1 << 20, 'x')));
    }
    EXPECT_TRUE(wait_until([&] { return server->unsent() == 0; }));
}

TEST_F(unread_output_test, of_one_subscriber_does_not_keep_another_from_reading) {
    start_with_idler();
    test_client reader(server->where(), "reader");
    int count = fill();
    for (int index = 0; index < count; ++index) EXPECT_EQ(type_of(reader.next_output()), "display_data");
}

TEST_F(unread_output_test, does_not_make_stop_wait_longer_than_it_may_linger) {
    start({.unsent_limit = limit, .linger = std::chrono::milliseconds(200)});
    client = std::make_unique<test_client>(server->where(), "idler", 1);
    fill();
    auto before = std::chrono::steady_clock::now();
    server->stop();
    auto taken = std::chrono::steady_clock::now() - before;
    EXPECT_GE(taken, std::chrono::milliseconds(150));
    EXPECT_LT(taken, std::chrono::seconds(5));
    EXPECT_EQ(server->unsent(), 0u);
    EXPECT_TRUE(server->wait_for_room(std::chrono::milliseconds(0)));
}

TEST_F(unread_output_test, sends_again_no_more_than_the_limit_to_a_client_that_does_not_read) {
    start_with_idler();
    for (int index = 0; index < 64; ++index) {
        server->publish(output_of("display_data", "\"" + std::string(100'000, 'x') + "\""));
        client->next_output();
    }
    for (int turn = 0; turn < 10; ++turn) server->resend(0, asks(*client));
    ASSERT_TRUE(wait_until([&] { return server->unsent() >= limit; }));
    EXPECT_LT(server->unsent(), limit + (2 << 20));
    for (int index = 0; index < 640; ++index)
        ASSERT_EQ(number_of(next_again(*client)), static_cast<std::uint64_t>(index % 64 + 1));
    EXPECT_TRUE(wait_until([&] { return server->unsent() == 0; }));
}

// ---- what was sent before

TEST_F(iopub_test, sends_first_what_is_to_come_before_it) {
    start();
    connect();
    server->publish(output_of("display_data"));
    client->next_output();
    for (int turn = 0; turn < 200; ++turn) {
        server->resend(0, asks(*client), [&](const kernel_server::resent& range) {
            auto reply = messaging::make_message(channel::control, "resend_reply", "k", std::to_string(range.last));
            reply.identities = asks(*client);
            server->send(std::move(reply));
        });
        EXPECT_EQ(client->next(channel::control)->content, "1");
        EXPECT_EQ(number_of(next_again(*client)), 1u);
    }
}

TEST_F(iopub_test, sends_again_what_it_has_kept) {
    start();
    connect();
    for (int index = 0; index < 10; ++index) server->publish(output_of("display_data", std::to_string(index)));
    std::vector<messaging::message> first;
    for (int index = 0; index < 10; ++index) first.push_back(client->next_output());

    auto range = server->resend(4, asks(*client));
    EXPECT_EQ(range.first, 1u);
    EXPECT_EQ(range.last, 10u);
    for (std::size_t index = 4; index < 10; ++index) EXPECT_EQ(next_again(*client), first[index]);
    end_cell();
    EXPECT_EQ(number_of(client->next_output()), 11u);
}

TEST_F(iopub_test, sends_again_with_the_buffers_that_there_were) {
    start();
    connect();
    auto told = output_of("comm_msg");
    told.buffers = {"one", "", "<IDS|MSG>"};
    server->publish(told);
    auto first = client->next_output();
    server->resend(0, asks(*client));
    EXPECT_EQ(next_again(*client), first);
}

TEST_F(iopub_test, sends_again_to_nobody_but_who_asked) {
    start();
    connect();
    test_client other(server->where(), "other");
    server->publish(output_of("display_data"));
    EXPECT_EQ(number_of(client->next_output()), 1u);
    server->resend(0, asks(*client));
    next_again(*client);
    end_cell();
    for (auto* each : {client.get(), &other})
        while (number_of(each->next_output()) != 2u) continue;
    EXPECT_FALSE(other.next(channel::control, std::chrono::milliseconds(0)));
}

TEST_F(iopub_test, sends_again_to_a_client_that_came_later) {
    start();
    for (int index = 0; index < 3000; ++index) server->publish(output_of("display_data"));
    ASSERT_TRUE(wait_until([&] { return server->resend(5000, {}).last == 3000; }));
    connect();
    server->resend(0, asks(*client));
    for (std::uint64_t number = 1; number <= 3000; ++number) ASSERT_EQ(number_of(next_again(*client)), number);
    end_cell();
    EXPECT_EQ(number_of(client->next_output()), 3001u);
}

TEST_F(iopub_test, says_what_it_has_kept) {
    start({.kept_bytes = 10'000});
    EXPECT_EQ(server->resend(0, {}).first, 0u);
    EXPECT_EQ(server->resend(0, {}).last, 0u);
    connect();
    for (int index = 0; index < 20; ++index)
        server->publish(output_of("display_data", "\"" + std::string(1000, 'x') + "\""));
    for (int index = 0; index < 20; ++index) client->next_output();
    auto range = server->resend(100, {});
    EXPECT_GT(range.first, 10u);
    EXPECT_EQ(range.last, 20u);
}

}  // namespace
}  // namespace kernel
