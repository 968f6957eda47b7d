// What subprocesses and C code write into captured descriptors.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tests/kernel/server/fixture.hpp"

namespace kernel {
namespace {

class capture_test : public kernel_server_test {
  protected:
    capture_test() {
        for (auto* each : {&out, &err})
            if (::pipe2(each->data(), O_CLOEXEC) != 0) std::abort();
    }
    ~capture_test() override {
        if (server) server->stop();
        for (auto* each : {&out, &err})
            for (int end : *each) ::close(end);
    }

    void start_capturing(server_settings settings = {}) {
        start(std::move(settings));
        server->capture(out[0], output_stream::out);
        server->capture(err[0], output_stream::err);
        server->set_captured_parent(parent_called("cell"));
        connect();
    }
    // With the captured pipes as its output. Returns its status.
    int run_shell(const std::string& script) {
        pid_t child = ::fork();
        if (child == 0) {
            ::dup2(out[1], 1);
            ::dup2(err[1], 2);
            ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
            ::_exit(127);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        return status;
    }
    void print(std::string_view text) { ASSERT_EQ(::write(out[1], text.data(), text.size()), std::ssize(text)); }
    std::vector<messaging::message> end_cell() {
        server->drain_captured();
        server->publish(output_of("status"));
        return client->outputs_until("status");
    }

    std::array<int, 2> out{}, err{};
};

TEST_F(capture_test, takes_a_subprocess_output_into_its_cell) {
    start_capturing();
    EXPECT_EQ(run_shell("echo out; echo err >&2"), 0);
    auto came = end_cell();
    EXPECT_EQ(all_text(came, "stdout"), "out\n");
    EXPECT_EQ(all_text(came, "stderr"), "err\n");
    for (std::size_t index = 0; index + 1 < came.size(); ++index)
        EXPECT_EQ(came[index].parent_header, *parent_called("cell"));
}

TEST_F(capture_test, takes_what_is_written_while_nobody_drains) {
    start_capturing();
    print("text");
    EXPECT_EQ(text_of(client->next_output()), "text");
}

TEST_F(capture_test, takes_more_than_a_pipe_holds) {
    start_capturing();
    EXPECT_EQ(run_shell("head -c 500000 /dev/zero | tr '\\0' x"), 0);
    EXPECT_EQ(all_text(end_cell()), std::string(500'000, 'x'));
}

TEST_F(capture_test, joins_a_character_whose_bytes_come_apart) {
    start_capturing({.coalescing = std::chrono::milliseconds(1)});
    EXPECT_EQ(run_shell(R"(printf 'a\342'; sleep 0.05; printf '\202'; sleep 0.05; printf '\254z')"), 0);
    EXPECT_EQ(all_text(end_cell()), "a\u20acz");
}

TEST_F(capture_test, joins_a_character_over_what_others_write_between) {
    start_capturing();
    print("a\xE2");
    server->drain_captured();
    server->write(output_stream::out, "from Python", parent_called("cell"));
    print("\x82\xACz");
    EXPECT_EQ(all_text(end_cell()), "afrom Python\u20acz");
}

TEST_F(capture_test, joins_characters_over_64_kib) {
    start_capturing();
    std::string expected;
    for (int index = 0; index < 100'000; ++index) expected += "\u20ac";
    std::thread writer([&] {
        for (std::string_view left = expected; !left.empty();) {
            auto written = ::write(out[1], left.data(), std::min<std::size_t>(left.size(), 4097));
            if (written < 0) break;
            left.remove_prefix(static_cast<std::size_t>(written));
        }
    });
    writer.join();
    EXPECT_TRUE(all_text(end_cell()) == expected);
}

TEST_F(capture_test, replaces_what_stays_invalid) {
    start_capturing();
    EXPECT_EQ(run_shell(R"(printf 'a\377b\342c')"), 0);
    EXPECT_EQ(all_text(end_cell()),
              "a\uFFFD"
              "b\uFFFD"
              "c");
}

TEST_F(capture_test, gives_text_to_the_cell_that_was_running_when_it_was_drained) {
    start_capturing();
    print("one");
    EXPECT_EQ(end_cell().front().parent_header, *parent_called("cell"));
    server->set_captured_parent(parent_called("next"));
    print("two");
    EXPECT_EQ(end_cell().front().parent_header, *parent_called("next"));
}

TEST_F(capture_test, drains_no_more_than_is_there_when_a_process_writes_for_ever) {
    start_capturing();
    pid_t child = ::fork();
    if (child == 0) {
        ::dup2(out[1], 1);
        ::execl("/usr/bin/yes", "yes", nullptr);
        ::_exit(127);
    }
    EXPECT_TRUE(text_of(client->next_output()).starts_with("y\ny\n"));
    server->drain_captured();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST_F(capture_test, makes_a_process_wait_whose_output_nobody_reads) {
    start({.unsent_limit = 1 << 20});
    client = std::make_unique<test_client>(server->where(), "idler", 1);
    server->capture(out[0], output_stream::out);
    pid_t child = ::fork();
    if (child == 0) {
        ::dup2(out[1], 1);
        ::execl("/usr/bin/yes", "yes", nullptr);
        ::_exit(127);
    }
    ASSERT_TRUE(wait_until([&] { return server->unsent() >= (1 << 20); }));
    // Read a while; then it goes on, and never grows.
    for (int index = 0; index < 100; ++index) {
        client->next_output();
        ASSERT_LT(server->unsent(), 3u << 20);
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST_F(capture_test, ends_with_the_last_writer) {
    start_capturing();
    print("a\xE2");
    ::close(out[1]);
    out[1] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    auto first = client->next_output();
    EXPECT_EQ(text_of(first), "a");
    server->stop();
    EXPECT_EQ(text_of(client->next_output()), "\uFFFD");
}

TEST_F(capture_test, takes_what_is_left_when_the_server_stops) {
    start_capturing();
    print("last words");
    server->stop();
    EXPECT_EQ(text_of(client->next_output()), "last words");
}

}  // namespace
}  // namespace kernel
