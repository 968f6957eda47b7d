#include "gateway/sessions/cell_book.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace gateway::sessions {
namespace {

using nlohmann::json;

class CellBook : public ::testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove_all(files); }

    void record(const std::string& type, const json& content) { record_in(book, *owner, type, content); }
    void record_in(cell_book& into, cell& which, const std::string& type, const json& content) {
        entry logged;
        logged.seq = ++seq;
        logged.type = type;
        logged.message = std::make_shared<const messaging::message>(
            messaging::make_message(messaging::channel::iopub, type, "kernel", content.dump()));
        into.record(which, logged);
    }
    void print_to(cell_book& into, cell& which, const std::string& text) {
        record_in(into, which, "stream", {{"name", "stdout"}, {"text", text}});
    }
    void print(const std::string& text, const std::string& name = "stdout") {
        record("stream", {{"name", name}, {"text", text}});
    }
    std::string read_file(const std::string& in_box) {
        std::ifstream in(files + in_box.substr(std::string("/mnt/files").size()));
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    static std::string make_directory() {
        char path[] = "/tmp/cellgate-book-XXXXXX";
        return ::mkdtemp(path);
    }
    static cell named(const std::string& id) {
        cell made;
        made.id = id;
        made.msg_id = "request of " + id;
        return made;
    }

    std::string files = make_directory();
    cell_book book{files, text_limits{10, 40}};
    std::shared_ptr<cell> owner = book.add(named("c"), false);
    std::uint64_t seq = 0;
};

TEST_F(CellBook, short_text_stays_whole_and_makes_no_file) {
    print("abc");
    print("def");
    EXPECT_EQ(owner->out.head, "abcdef");
    EXPECT_EQ(owner->out.file, "");
    EXPECT_TRUE(std::filesystem::is_empty(files));
}

TEST_F(CellBook, long_text_keeps_its_head_and_the_whole_is_in_a_file) {
    print("12345678");
    print("90ABC");
    print("DEF");
    EXPECT_EQ(owner->out.head, "1234567890");
    EXPECT_EQ(owner->out.characters, 16u);
    EXPECT_EQ(read_file(owner->out.file), "1234567890ABCDEF");
}

TEST_F(CellBook, the_limit_counts_characters_not_bytes) {
    print("äöüäöüäöüä");
    EXPECT_EQ(owner->out.file, "");
    print("ß");
    EXPECT_EQ(owner->out.head, "äöüäöüäöüä");
    EXPECT_EQ(read_file(owner->out.file), "äöüäöüäöüäß");
}

TEST_F(CellBook, a_file_at_its_limit_says_that_it_was_cut) {
    print(std::string(60, 'x'));
    book.finish(*owner);
    EXPECT_THAT(read_file(owner->out.file),
                ::testing::StartsWith(std::string(40, 'x') +
                                      "\n[cellgate: cut here, at 40 bytes: sessions.text_file_max_bytes is 40]"));
}

TEST_F(CellBook, a_cell_says_that_its_file_is_cut_and_at_which_limit) {
    print(std::string(60, 'x'));
    print("more");
    EXPECT_EQ(owner->out.head, std::string(10, 'x') + "\n[cellgate: cut here, " + owner->out.file +
                                   " has only the first 40 bytes: sessions.text_file_max_bytes is 40]\n");
}

TEST_F(CellBook, a_file_is_cut_between_characters) {
    print(std::string(39, 'x') + "äöü");
    EXPECT_THAT(read_file(owner->out.file),
                ::testing::StartsWith(std::string(39, 'x') + "\n[cellgate: cut here, at 39"));
}

// Stands for a full disk: what the process may write to a file ends in the middle of the text.
TEST_F(CellBook, a_file_that_cannot_be_written_to_its_end_is_named_and_both_say_why) {
    cell_book roomy(files, text_limits{10, 1u << 20});
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit tight = before;
    tight.rlim_cur = 500;
    auto cut = roomy.add(named("full"), false);
    ::setrlimit(RLIMIT_FSIZE, &tight);
    print_to(roomy, *cut, std::string(300, 'x'));
    for (int at = 0; at < 50; ++at) print_to(roomy, *cut, "äöü");
    for (int at = 0; at < 3; ++at) print_to(roomy, *cut, std::string(300, 'y'));
    ::setrlimit(RLIMIT_FSIZE, &before);
    print_to(roomy, *cut, "too late: it would hide the hole");
    roomy.finish(*cut);
    const auto text = read_file(cut->out.file);
    const auto kept = text.find("\n[cellgate: cut here, at ");
    ASSERT_NE(kept, std::string::npos) << text;
    EXPECT_EQ(text.substr(kept), fmt::format("\n[cellgate: cut here, at {} bytes: File too large]\n", kept));
    EXPECT_EQ(text.find("hole"), std::string::npos);
    EXPECT_EQ(cut->out.head, fmt::format("{}\n[cellgate: cut here, {} has only the first {} bytes: File too large]\n",
                                         std::string(10, 'x'), cut->out.file, kept));
}

TEST_F(CellBook, a_file_that_went_is_not_begun_anew_without_its_beginning) {
    print(std::string(20, 'x'));
    book.finish(*owner);
    std::filesystem::remove_all(files + "/.composio");
    print("after its end");
    EXPECT_FALSE(std::filesystem::exists(files + "/.composio"));
    EXPECT_THAT(owner->out.head, ::testing::HasSubstr("has only the first 20 bytes: No such file or directory"));
}

TEST_F(CellBook, a_fifo_in_the_place_of_the_file_holds_nobody_up) {
    std::filesystem::create_directories(files + "/.composio/output");
    ASSERT_EQ(::mkfifo((files + "/.composio/output/c.stdout.txt").c_str(), 0600), 0);
    print(std::string(20, 'x'));
    EXPECT_EQ(owner->out.file, "");
    EXPECT_THAT(owner->out.head, ::testing::HasSubstr("cannot be written: it is not a file"));
}

TEST_F(CellBook, stdout_and_stderr_are_kept_apart) {
    print("out");
    print("err", "stderr");
    EXPECT_EQ(owner->out.head, "out");
    EXPECT_EQ(owner->err.head, "err");
}

TEST_F(CellBook, a_symbolic_link_in_the_mount_does_not_lead_the_file_astray) {
    const auto outside = make_directory();
    std::filesystem::create_symlink(outside, files + "/.composio");
    print(std::string(30, 'x'));
    EXPECT_TRUE(std::filesystem::is_empty(outside));
    EXPECT_EQ(owner->out.file, "");
    EXPECT_EQ(owner->out.head, std::string(10, 'x') +
                                   "\n[cellgate: cut here, the rest is lost: "
                                   "/mnt/files/.composio/output/c.stdout.txt cannot be written: "
                                   "Too many levels of symbolic links]\n");
    std::filesystem::remove_all(outside);
}

TEST_F(CellBook, a_display_is_replaced_by_its_update_also_from_another_cell) {
    record("display_data", {{"data", {}}, {"transient", {{"display_id", "d"}}}});
    auto first = owner;
    owner = book.add(named("d"), false);
    record("update_display_data", {{"data", {}}, {"transient", {{"display_id", "d"}}}});
    ASSERT_EQ(first->displays.size(), 1u);
    EXPECT_EQ(first->displays[0].seq, 2u);
    EXPECT_TRUE(owner->displays.empty());
}

TEST_F(CellBook, clear_output_with_wait_clears_when_the_next_display_comes) {
    record("display_data", {{"data", {}}});
    record("clear_output", {{"wait", true}});
    EXPECT_EQ(owner->displays.size(), 1u);
    record("display_data", {{"data", {}}});
    ASSERT_EQ(owner->displays.size(), 1u);
    EXPECT_EQ(owner->displays[0].seq, 3u);
}

TEST_F(CellBook, an_error_is_kept_with_its_traceback) {
    record("error", {{"ename", "ValueError"}, {"evalue", "no"}, {"traceback", {"a", "b"}}});
    ASSERT_TRUE(owner->error);
    EXPECT_EQ(owner->error->ename, "ValueError");
    EXPECT_THAT(owner->error->traceback, ::testing::ElementsAre("a", "b"));
}

TEST_F(CellBook, output_that_is_not_as_specified_changes_nothing) {
    record("stream", json::array());
    record("stream", {{"name", 1}, {"text", 2}});
    record("display_data", 5);
    record("error", "x");
    EXPECT_EQ(owner->out.head, "");
}

TEST_F(CellBook, hidden_cells_are_found_but_not_listed) {
    auto hidden = named("h");
    hidden.seq_first = 9;
    book.add(std::move(hidden), true);
    EXPECT_TRUE(book.find("h"));
    EXPECT_EQ(book.list(0, 100).size(), 0u);  // "c" was never queued: its seq_first is 0
}

}  // namespace
}  // namespace gateway::sessions
