#include "mounts/local_files.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/mounts/files_fixture.hpp"

namespace mounts {
namespace {

using testing::HasSubstr;

class local_files_test : public files_fixture {};

TEST_F(local_files_test, are_seen_inside_at_once_and_the_reverse) {
    auto written = put("data/a.csv", "1,2\n").value();
    EXPECT_EQ(content_of(inside("data/a.csv")), "1,2\n");
    EXPECT_EQ(written.info.path, "data/a.csv");
    EXPECT_EQ(written.info.size, 4U);
    EXPECT_TRUE(written.is_new);
    EXPECT_EQ(written.sha256, "52186c933993da4082b3cdc7c40bb4bf735b391ff54a2ef78c037dda6c38a680") << "sha256sum says";
    write("from_inside", "hello");
    EXPECT_EQ(get("from_inside"), "hello");
    EXPECT_TRUE(nothing_is_left_of_uploads());
}

TEST_F(local_files_test, have_any_names) {
    for (const char* name :
         {"a \"b\" 'c'", "line\nbreak", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.txt", "-rf", "a\\b", "%2e%2e"}) {
        ASSERT_TRUE(put(name, name)) << name;
        EXPECT_EQ(get(name), name);
        EXPECT_TRUE(fs::exists(inside(name)));
    }
}

TEST_F(local_files_test, are_read_in_ranges) {
    write("a", "0123456789");
    auto opened = std::move(files_.open(at("a")).value());
    EXPECT_EQ(opened->read(3, 4).value(), "3456");
    EXPECT_EQ(opened->read(8, 4).value(), "89");
    EXPECT_EQ(opened->read(10, 4).value(), "");
    EXPECT_EQ(opened->info().size, 10U);
}

TEST_F(local_files_test, stay_readable_while_they_are_replaced_and_deleted) {
    put("a", "old");
    auto opened = std::move(files_.open(at("a")).value());
    put("a", "new");
    EXPECT_TRUE(files_.remove(at("a"), {}).value());
    EXPECT_EQ(opened->read(0, 9).value(), "old");
}

TEST_F(local_files_test, have_another_version_after_every_write) {
    std::set<std::string> versions;
    versions.insert(put("a", "1").value().info.version);
    versions.insert(put("a", "2").value().info.version);
    for (int i = 0; i < 50; ++i) {
        write("a", std::to_string(i % 10));  // one after the other in one tick, and of one size
        versions.insert(files_.stat(at("a"))->version);
    }
    EXPECT_EQ(versions.size(), 52U);
}

TEST_F(local_files_test, have_another_version_when_a_program_writes_right_after_an_upload) {
    for (int i = 0; i < 50; ++i) {
        auto uploaded = put("a", "1").value().info.version;
        std::ofstream(inside("a"), std::ios::in | std::ios::out) << "2";
        ASSERT_NE(files_.stat(at("a"))->version, uploaded);
    }
}

TEST_F(local_files_test, keep_their_version_while_nobody_writes) {
    auto uploaded = put("a", "1").value().info;
    EXPECT_EQ(files_.stat(at("a"))->version, uploaded.version);
    EXPECT_EQ(files_.open(at("a")).value()->info().version, uploaded.version);
    EXPECT_EQ(files_.list("", "", 10)->items.at(0).version, uploaded.version);
}

TEST_F(local_files_test, are_replaced_only_when_they_are_what_the_caller_read) {
    auto first = put("a", "1").value().info.version;
    auto second = put("a", "2", {.versions = {"other", first}}).value().info.version;
    EXPECT_EQ(code(put("a", "3", {.versions = {first}})), file_errc::not_as_stated);
    write("a", "inside");
    EXPECT_EQ(code(put("a", "3", {.versions = {second}})), file_errc::not_as_stated);
    EXPECT_EQ(code(put("b", "3", {.versions = {second}})), file_errc::not_as_stated);
    EXPECT_EQ(code(put("b", "3", {.must_exist = true})), file_errc::not_as_stated);
    EXPECT_EQ(code(put("a", "3", {.must_not_exist = true})), file_errc::not_as_stated);
    EXPECT_EQ(get("a"), "inside");
    EXPECT_FALSE(put("a", "3", {.must_exist = true})->is_new);
    EXPECT_TRUE(put("b", "3", {.must_not_exist = true})->is_new);
}

TEST_F(local_files_test, are_judged_again_when_the_upload_has_ended) {
    auto version = put("a", "1").value().info.version;
    auto begun = std::move(files_.begin(at("a"), {.versions = {version}}).value());
    auto fresh = std::move(files_.begin(at("b"), {.must_not_exist = true}).value());
    write("a", "2");
    write("b", "2");
    EXPECT_EQ(code(begun->commit()), file_errc::not_as_stated);
    EXPECT_EQ(code(fresh->commit()), file_errc::not_as_stated);
    EXPECT_EQ(get("a") + get("b"), "22");
}

TEST_F(local_files_test, go_to_one_of_those_who_replace_the_same_version) {
    auto version = put("a", "0").value().info.version;
    std::atomic<int> won = 0;
    std::vector<std::thread> writers;
    for (int i = 0; i < 8; ++i)
        writers.emplace_back([&, i] { won += put("a", std::to_string(i), {.versions = {version}}).has_value(); });
    for (auto& each : writers) each.join();
    EXPECT_EQ(won, 1);
}

TEST_F(local_files_test, are_whole_or_not_there) {
    auto begun = std::move(files_.begin(at("new/a"), {}).value());
    ASSERT_TRUE(begun->write("half"));
    EXPECT_EQ(files_.list("", "", 10)->items.size(), 0U);
    EXPECT_TRUE(fs::is_empty(inside()));
    begun.reset();
    EXPECT_TRUE(fs::is_empty(inside()));
    EXPECT_TRUE(nothing_is_left_of_uploads());
}

TEST_F(local_files_test, may_be_read_and_written_by_the_session_whatever_the_umask) {
    auto before = umask(0077);
    put("d/e/a", "x");
    umask(before);
    struct stat status {};
    ASSERT_EQ(stat(inside("d/e/a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0644U);
    ASSERT_EQ(stat(inside("d/e").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0755U);
}

TEST_F(local_files_test, belong_to_whom_the_directory_belongs) {
    if (geteuid() == 0) {
        ASSERT_EQ(chown(inside().c_str(), 12345, 12346), 0);
    }
    struct stat owner {
    }, status{};
    stat(inside().c_str(), &owner);
    put("d/a", "x");
    for (const char* each : {"d", "d/a"}) {
        ASSERT_EQ(stat(inside(each).c_str(), &status), 0);
        EXPECT_EQ(status.st_uid, owner.st_uid) << each;
        EXPECT_EQ(status.st_gid, owner.st_gid) << each;
    }
}

TEST_F(local_files_test, are_deleted_alone_or_with_their_directory) {
    write("d/a");
    write("d/e/b");
    write("c");
    EXPECT_TRUE(files_.remove(at("c"), {}).value());
    EXPECT_TRUE(files_.remove(at("d"), {}).value());
    EXPECT_FALSE(files_.remove(at("d"), {}).value());
    EXPECT_FALSE(files_.remove(at("d/a"), {}).value());
    EXPECT_TRUE(fs::is_empty(inside()));
}

TEST_F(local_files_test, are_deleted_only_when_they_are_what_the_caller_read) {
    auto version = put("a", "1").value().info.version;
    write("a", "2");
    EXPECT_EQ(code(files_.remove(at("a"), {.versions = {version}})), file_errc::not_as_stated);
    EXPECT_TRUE(files_.remove(at("a"), {.versions = {files_.stat(at("a"))->version}}).value());
    EXPECT_EQ(code(files_.remove(at("a"), {.must_exist = true})), file_errc::not_as_stated);
}

TEST_F(local_files_test, that_are_missing_say_so) {
    write("a");
    for (const char* each : {"b", "d/b", "a/b"}) {
        auto opened = files_.open(at(each));
        EXPECT_EQ(code(opened), file_errc::not_found) << each;
        EXPECT_THAT(opened.error().text, HasSubstr(std::string("no file ") + each));
    }
}

TEST_F(local_files_test, cannot_be_put_where_a_directory_or_below_where_a_file_is) {
    write("a");
    fs::create_directory(inside("d"));
    EXPECT_EQ(code(put("a/b", "x")), file_errc::unusable);
    EXPECT_EQ(code(put("d", "x")), file_errc::unusable);
    EXPECT_EQ(code(files_.open(at("d"))), file_errc::unusable);
    EXPECT_TRUE(nothing_is_left_of_uploads());
}

TEST_F(local_files_test, are_gone_with_their_session) {
    auto begun = std::move(files_.begin(at("a"), {}).value());
    ASSERT_TRUE(begun->write("x"));
    fs::remove_all(inside());
    fs::remove_all(uploads());
    for (auto problem : {begun->commit().error(), files_.open(at("a")).error(), files_.list("", "", 1).error(),
                         files_.begin(at("a"), {}).error(), files_.remove(at("a"), {}).error()}) {
        EXPECT_EQ(problem.code, file_errc::not_found);
        EXPECT_THAT(problem.text, HasSubstr("the session has ended"));
    }
}

TEST_F(local_files_test, remember_digests_by_version) {
    EXPECT_FALSE(files_.find_sha256("v"));
    files_.keep_sha256("v", "abc");
    EXPECT_EQ(files_.find_sha256("v"), "abc");
    for (int i = 0; i < 20'000; ++i) files_.keep_sha256(std::to_string(i), "x");
    EXPECT_EQ(files_.find_sha256("19999"), "x");
}

}  // namespace
}  // namespace mounts
