#include "mounts/session_directories.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace mounts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class the_session_directories : public testing::Test {
  protected:
    std::string data() const { return directory_.path() + "/data"; }
    std::string at(const std::string& name) const { return data() + "/sessions/" + name; }
    session_directories opened() { return std::move(session_directories::open(data()).value()); }
    static mode_t mode(const std::string& path) {
        struct stat status {};
        return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
    }
    test_support::temporary_directory directory_;
};

TEST_F(the_session_directories, are_made_for_their_owner_only) {
    session_directories all = opened();
    session_paths made = all.create("ses_1").value();
    EXPECT_EQ(made, (session_paths{at("ses_1/home"), at("ses_1/files"), at("ses_1/packages"), at("ses_1/log"),
                                   at("ses_1/uploads")}));
    for (const std::string& each :
         {data() + "/sessions", at("ses_1"), made.home, made.files, made.packages, made.log, made.uploads})
        EXPECT_EQ(mode(each), 0700U) << each;
}

TEST_F(the_session_directories, do_not_depend_on_the_umask) {
    mode_t before = umask(0);
    session_paths made = opened().create("a").value();
    umask(before);
    EXPECT_EQ(mode(made.home), 0700U);
}

TEST_F(the_session_directories, are_shown_in_the_box_where_programs_expect_them) {
    std::vector<::kernel::bind_mount> expected = {
        {"/h", "/home/user", true}, {"/f", "/mnt/files", true}, {"/p", "/opt/cellgate/packages", false}};
    EXPECT_EQ(box_mounts({"/h", "/f", "/p", "/l", "/u"}), expected);
}

TEST_F(the_session_directories, are_made_once) {
    session_directories all = opened();
    ASSERT_TRUE(all.create("a"));
    EXPECT_EQ(all.create("a").error().text, "make " + at("a") + ": File exists");
}

TEST_F(the_session_directories, have_no_other_names_than_ids) {
    session_directories all = opened();
    for (const std::string& each : {std::string(), std::string(".."), std::string("a/b"), std::string("."),
                                    std::string("a\0b", 3), std::string(129, 'a'), std::string(".hidden")}) {
        EXPECT_THAT(all.create(each).error().text, HasSubstr("cannot name a directory"));
        EXPECT_THAT(all.remove(each).error().text, HasSubstr("cannot name a directory"));
    }
}

TEST_F(the_session_directories, refuse_a_symbolic_link_in_their_place) {
    fs::create_directories(data());
    fs::create_directory(directory_.path() + "/elsewhere");
    fs::create_directory_symlink(directory_.path() + "/elsewhere", data() + "/sessions");
    EXPECT_THAT(session_directories::open(data()).error().text, HasSubstr(data() + "/sessions"));
}

TEST_F(the_session_directories, refuse_a_symbolic_link_that_waits_for_a_session) {
    session_directories all = opened();
    fs::create_directory(directory_.path() + "/elsewhere");
    fs::create_directory_symlink(directory_.path() + "/elsewhere", at("a"));
    EXPECT_FALSE(all.create("a"));
    EXPECT_TRUE(fs::is_empty(directory_.path() + "/elsewhere"));
}

TEST_F(the_session_directories, are_closed_to_others_when_they_were_open) {
    fs::create_directories(data() + "/sessions");
    fs::permissions(data() + "/sessions", fs::perms::all);
    opened();
    EXPECT_EQ(mode(data() + "/sessions"), 0700U);
}

TEST_F(the_session_directories, belong_to_one_gateway_at_a_time) {
    {
        session_directories all = opened();
        EXPECT_THAT(session_directories::open(data()).error().text, HasSubstr("another Cellgate uses"));
    }
    EXPECT_TRUE(session_directories::open(data()));
}

TEST_F(the_session_directories, go_with_what_is_in_them) {
    session_directories all = opened();
    std::ofstream(all.create("a").value().home + "/file") << "x";
    EXPECT_TRUE(all.remove("a"));
    EXPECT_FALSE(fs::exists(at("a")));
    EXPECT_TRUE(all.remove("a"));
}

TEST_F(the_session_directories, of_an_earlier_gateway_are_gone_on_with_without_their_log) {
    session_directories all = opened();
    session_paths before = all.create("a").value();
    std::ofstream(before.files + "/file") << "x";
    std::ofstream(before.log + "/1.log") << "x";
    fs::remove(before.packages);
    EXPECT_EQ(all.reopen("a").value(), before);
    EXPECT_TRUE(fs::exists(before.files + "/file"));
    EXPECT_TRUE(fs::is_empty(before.log));
    EXPECT_TRUE(fs::is_directory(before.packages));
    EXPECT_TRUE(all.are_there("a"));
    EXPECT_FALSE(all.are_there("b"));
    EXPECT_TRUE(fs::is_directory(all.reopen("b").value().files)) << "those that are gone are made";
}

TEST_F(the_session_directories, of_an_earlier_gateway_are_cleared_but_for_those_that_are_kept) {
    session_directories all = opened();
    ASSERT_TRUE(all.create("a"));
    ASSERT_TRUE(all.create("b"));
    EXPECT_TRUE(all.remove_leftovers({"b"}));
    EXPECT_FALSE(fs::exists(at("a")));
    EXPECT_TRUE(fs::exists(at("b")));
}

TEST_F(the_session_directories, that_are_claimed_are_left_alone_and_named) {
    session_directories all = opened();
    for (const char* each : {"claimed", "ended", "let_go_of", "unclaimed"}) ASSERT_TRUE(all.create(each));
    for (const char* each : {"claimed", "ended", "let_go_of"}) ASSERT_TRUE(all.claim(each));
    all.let_go_of("let_go_of");
    EXPECT_THAT(all.remove_leftovers({}, {"ended"}).value(), testing::ElementsAre("claimed"));
    for (const char* each : {"ended", "let_go_of", "unclaimed"}) EXPECT_FALSE(fs::exists(at(each))) << each;
    EXPECT_TRUE(fs::exists(at("claimed/files")));
    EXPECT_THAT(all.claim("none").error().text, HasSubstr("No such file"));
}

TEST_F(the_session_directories, of_an_earlier_gateway_are_cleared) {
    session_directories all = opened();
    ASSERT_TRUE(all.create("a"));
    ASSERT_TRUE(all.create("b"));
    std::ofstream(at("a/home/file")) << "x";
    std::ofstream(at(".stray")) << "x";
    EXPECT_TRUE(all.remove_leftovers());
    EXPECT_TRUE(fs::is_empty(data() + "/sessions"));
}

}  // namespace
}  // namespace mounts
