#include "gateway/kernels/kernel_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "gateway/kernels/tcp_ports.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::kernels {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* id = "12345678-aaaa-bbbb-cccc-0123456789ab";

messaging::connection_info read_connection(const std::string& path) {
    std::ifstream file(path);
    std::string text(std::istreambuf_iterator<char>(file), {});
    auto parsed = messaging::parse_connection_file(text);
    return parsed ? *parsed : messaging::connection_info{};
}

unsigned mode_of(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 0777u : 0;
}

class kernel_files_test : public testing::Test {
  protected:
    void write_output(const std::string& text) { std::ofstream(files.output_file(), std::ios::binary) << text; }

    test_support::temporary_directory root;
    kernel_files files{root.path(), id};
};

TEST_F(kernel_files_test, there_is_a_connection_file_for_each_side_of_the_box) {
    auto made = files.renew(transport::ipc, "x", false);
    ASSERT_TRUE(made);
    auto inside = read_connection(files.box_directory() + "/connection.json");
    auto outside = read_connection(files.connection_file());
    EXPECT_EQ(outside, *made);
    EXPECT_EQ(outside.endpoint(outside.shell_port), "ipc://" + root.path() + "/12345678/k/k-1");
    EXPECT_EQ(inside.endpoint(inside.shell_port), "ipc:///run/k/k-1");
    EXPECT_EQ(inside.key, outside.key);
    EXPECT_EQ(inside.key.size(), 64u);
    EXPECT_EQ(inside.kernel_name, "x");
}

TEST_F(kernel_files_test, nobody_else_can_read_them) {
    ASSERT_TRUE(files.renew(transport::ipc, "x", false));
    EXPECT_EQ(mode_of(files.connection_file()), 0600u);
    EXPECT_EQ(mode_of(files.box_directory() + "/connection.json"), 0600u);
    EXPECT_EQ(mode_of(files.box_directory()), 0700u);
    EXPECT_EQ(mode_of(root.path() + "/12345678"), 0700u);
}

TEST_F(kernel_files_test, over_tcp_both_sides_have_the_same_five_ports) {
    auto made = files.renew(transport::tcp, "x", false);
    ASSERT_TRUE(made);
    EXPECT_EQ(read_connection(files.box_directory() + "/connection.json"), *made);
    std::set<int> ports = {made->shell_port, made->iopub_port, made->stdin_port, made->control_port, made->hb_port};
    EXPECT_EQ(ports.size(), 5u);
    EXPECT_EQ(made->ip, "127.0.0.1");
}

TEST_F(kernel_files_test, in_a_network_of_its_own_tcp_is_reached_by_relays) {
    auto made = files.renew(transport::tcp, "x", true);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->endpoint(made->shell_port), "ipc://" + files.box_directory() + "/k-1");
    const auto inside = read_connection(files.box_directory() + "/connection.json");
    EXPECT_EQ(inside.transport, "tcp");
    ASSERT_EQ(files.relays().size(), 5u);
    EXPECT_EQ(files.relays().front(), (::kernel::tcp_relay{"/run/k/k-1", inside.shell_port}));
    EXPECT_EQ(files.relays().back(), (::kernel::tcp_relay{"/run/k/k-5", inside.hb_port}));
    ASSERT_TRUE(files.renew(transport::ipc, "x", true));
    EXPECT_TRUE(files.relays().empty());
}

TEST_F(kernel_files_test, the_next_process_finds_fresh_files_and_the_same_key) {
    auto first = files.renew(transport::ipc, "x", false);
    auto trap = root.path() + "/elsewhere";
    std::ofstream(trap) << "mine";
    fs::remove(files.box_directory() + "/connection.json");
    fs::create_symlink(trap, files.box_directory() + "/connection.json");
    auto second = files.renew(transport::ipc, "x", false);
    ASSERT_TRUE(second);
    EXPECT_EQ(*first, *second);
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(files.box_directory() + "/connection.json")));
    EXPECT_EQ(fs::file_size(trap), 4u);
}

TEST_F(kernel_files_test, two_ids_that_begin_alike_do_not_share_a_directory) {
    kernel_files other(root.path(), "12345678-ffff");
    ASSERT_TRUE(files.renew(transport::ipc, "x", false));
    ASSERT_TRUE(other.renew(transport::ipc, "x", false));
    EXPECT_NE(files.box_directory(), other.box_directory());
}

TEST_F(kernel_files_test, nothing_stays_when_they_go) {
    {
        kernel_files mine(root.path(), "87654321");
        ASSERT_TRUE(mine.renew(transport::ipc, "x", false));
        std::ofstream(mine.box_directory() + "/left") << "x";
    }
    EXPECT_TRUE(fs::is_empty(root.path()));
}

TEST_F(kernel_files_test, a_missing_runtime_directory_is_named) {
    kernel_files mine(root.path() + "/none", id);
    auto made = mine.renew(transport::ipc, "x", false);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr(root.path() + "/none"));
}

TEST_F(kernel_files_test, the_tail_of_the_output_is_its_last_lines_as_valid_text) {
    ASSERT_TRUE(files.renew(transport::ipc, "x", false));
    EXPECT_EQ(files.output_tail(), "");
    write_output("one\n\x1b[31mtwo\xff\n\n");
    EXPECT_EQ(files.output_tail(), "one\n[31mtwo\xef\xbf\xbd");
    std::string many;
    for (int i = 1; i <= 2000; ++i) many += "line " + std::to_string(i) + "\n";
    write_output(many);
    EXPECT_TRUE(files.output_tail().starts_with("line 1981\n")) << files.output_tail();
    EXPECT_TRUE(files.output_tail().ends_with("line 2000"));
    write_output(std::string(10'000, 'x'));
    EXPECT_EQ(files.output_tail().size(), 4096u);
}

TEST(tcp_ports_test, five_different_ports_are_found_every_time) {
    for (int round = 0; round < 20; ++round) {
        auto ports = find_tcp_ports();
        ASSERT_TRUE(ports);
        EXPECT_EQ(std::set<int>(ports->begin(), ports->end()).size(), 5u);
    }
}

}  // namespace
}  // namespace gateway::kernels
