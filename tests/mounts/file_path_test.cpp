#include "mounts/file_path.hpp"

#include <gmock/gmock.h>

namespace mounts {
namespace {

using testing::HasSubstr;

std::string parsed(std::string_view written) {
    auto path = file_path::parse(written);
    return path ? path->text() : "(" + path.error().text + ")";
}

TEST(a_file_path, is_what_it_is_in_the_mount) {
    for (const char* written : {"data/a.csv", "/data/a.csv", "/mnt/files/data/a.csv", "data/a.csv/"})
        EXPECT_EQ(parsed(written), "data/a.csv") << written;
    EXPECT_EQ(parsed("mnt/files/a"), "mnt/files/a");
    EXPECT_EQ(parsed("/mnt/filesystem"), "mnt/filesystem");
}

TEST(a_file_path, may_have_any_name) {
    for (const char* written : {"a b", "\xc3\xa9t\xc3\xa9.csv", "a\"b'c", "line\nbreak\r", "..a", "a..", "...", "-rf",
                                "*", "%2e%2e", "a\\..\\b", "\xef\xbc\x8e\xef\xbc\x8e", "trailing.", " "})
        EXPECT_EQ(parsed(written), written);
}

TEST(a_file_path, knows_its_parts) {
    auto path = file_path::parse("a/b/c").value();
    EXPECT_EQ(path.parent(), "a/b");
    EXPECT_EQ(path.name(), "c");
    EXPECT_EQ(file_path::parse("c")->parent(), "");
    EXPECT_EQ(file_path::parse("c")->name(), "c");
}

TEST(a_file_path, is_refused_with_what_to_do) {
    using namespace std::string_literals;
    const std::pair<std::string, const char*> cases[] = {{"", "names a file"},
                                                         {"/", "names a file"},
                                                         {"/mnt/files", "names a file"},
                                                         {"/mnt/files/", "names a file"},
                                                         {"..", "\"..\""},
                                                         {"a/../b", "\"..\""},
                                                         {"/mnt/files/../x", "\"..\""},
                                                         {"./a", "\".\""},
                                                         {"a//b", "empty names"},
                                                         {"//a", "empty names"},
                                                         {"a\0b"s, "NUL"},
                                                         {std::string(256, 'n'), "255 bytes"},
                                                         {std::string(4085, 'n'), "4084"}};
    for (const auto& [written, says] : cases) {
        auto path = file_path::parse(written);
        ASSERT_FALSE(path) << written;
        EXPECT_EQ(path.error().code, file_errc::bad_path);
        EXPECT_THAT(path.error().text, HasSubstr(says)) << written;
    }
}

TEST(a_prefix, may_be_a_part_of_a_name_or_nothing) {
    for (const char* written : {"", "a", "a/", "a/b", "dir/..b"}) EXPECT_EQ(parse_prefix(written).value(), written);
    for (const char* written : {"/", "/mnt/files", "/mnt/files/"}) EXPECT_EQ(parse_prefix(written).value(), "");
    EXPECT_EQ(parse_prefix("/mnt/files/data/").value(), "data/");
    for (const char* written : {"../", "a/../", "a//b", "a//", "../a"}) EXPECT_FALSE(parse_prefix(written)) << written;
}

}  // namespace
}  // namespace mounts
