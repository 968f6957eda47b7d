#include "mounts/file_listing.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "kernel/launcher/file_descriptor.hpp"
#include "tests/mounts/files_fixture.hpp"

namespace mounts {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class file_listing_test : public files_fixture {
  protected:
    std::vector<std::string> page(const std::string& prefix, std::size_t limit = 1000) {
        auto listed = files_.list(prefix, next_, limit).value();
        next_ = listed.next.value_or("");
        has_more_ = listed.next.has_value();
        std::vector<std::string> paths;
        for (const auto& each : listed.items) paths.push_back(each.path);
        return paths;
    }
    std::vector<std::string> all(const std::string& prefix, std::size_t limit) {
        std::vector<std::string> paths;
        next_.clear();
        do {
            for (auto& each : page(prefix, limit)) paths.push_back(std::move(each));
        } while (has_more_);
        return paths;
    }
    void write_all(const std::vector<std::string>& paths) {
        for (const auto& each : paths) write(each, each);
    }

    std::string next_;
    bool has_more_ = false;
};

TEST_F(file_listing_test, has_files_alone_in_the_order_of_their_paths) {
    write_all({"b/c", "b.txt", "b-", "a", "b/a/x", "b0"});
    fs::create_directory(inside("empty"));
    EXPECT_THAT(page(""), ElementsAre("a", "b-", "b.txt", "b/a/x", "b/c", "b0"));
    EXPECT_FALSE(has_more_);
}

TEST_F(file_listing_test, tells_size_and_time) {
    write("a", "12345");
    auto listed = files_.list("", "", 10)->items.at(0);
    EXPECT_EQ(listed.size, 5U);
    EXPECT_LT(std::chrono::system_clock::now() - listed.modified, std::chrono::minutes(1));
    EXPECT_EQ(listed.version, files_.stat(at("a"))->version);
}

TEST_F(file_listing_test, has_what_begins_with_the_prefix) {
    write_all({"data.csv", "data/a", "data/b/c", "dat", "other/data/x"});
    EXPECT_THAT(page("data"), ElementsAre("data.csv", "data/a", "data/b/c"));
    EXPECT_THAT(page("data/"), ElementsAre("data/a", "data/b/c"));
    EXPECT_THAT(page("data/b"), ElementsAre("data/b/c"));
    EXPECT_THAT(page("data/b/c"), ElementsAre("data/b/c"));
    EXPECT_THAT(page("missing/"), IsEmpty());
    EXPECT_THAT(page("dat/a"), IsEmpty());
}

TEST_F(file_listing_test, is_the_same_in_pages_of_any_size) {
    std::vector<std::string> paths;
    for (int i = 0; i < 7; ++i)
        for (const char* form : {"f{}", "d{}/f", "d{}/g/h", "d{}/e/", "d{}.x"}) {
            auto path = std::string(form).replace(std::string(form).find("{}"), 2, std::to_string(i));
            if (path.back() == '/')
                fs::create_directories(inside(path));
            else
                write(path), paths.push_back(path);
        }
    std::sort(paths.begin(), paths.end());
    for (std::size_t limit : {1, 2, 3, 5, 100}) EXPECT_EQ(all("", limit), paths) << limit;
    std::erase_if(paths, [](const auto& each) { return each.rfind("d3", 0) != 0; });
    for (std::size_t limit : {1, 2, 100}) EXPECT_EQ(all("d3", limit), paths) << limit;
}

TEST_F(file_listing_test, goes_on_where_it_was_when_files_come_and_go) {
    write_all({"a", "b", "c", "d"});
    EXPECT_THAT(page("", 2), ElementsAre("a", "b"));
    fs::remove(inside("c"));
    write_all({"a2", "c2"});
    EXPECT_THAT(page("", 10), ElementsAre("c2", "d"));
}

TEST_F(file_listing_test, refuses_a_cursor_that_it_did_not_give) {
    for (const char* each : {"x", "6", "ZZ", "../a"})
        EXPECT_EQ(code(files_.list("", each, 1)), file_errc::bad_path) << each;
}

TEST_F(file_listing_test, keeps_up_with_ten_thousand_files) {
    for (int i = 0; i < 10'000; ++i) write((i % 2 ? "" : "d/") + std::to_string(i));
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(all("", 1000).size(), 10'000U);
    const auto spent = std::chrono::steady_clock::now() - before;
    RecordProperty("ms", static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(spent).count()));
    EXPECT_LT(spent, std::chrono::seconds(5));
}

TEST_F(file_listing_test, ends_a_page_early_rather_than_take_for_ever) {
    for (int i = 0; i < 100; ++i) fs::create_directories(inside("d" + std::to_string(i) + "/e"));
    write("d99/z");
    write("z");
    ::kernel::file_descriptor root(::open(inside().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const listing_effort& most :
         {listing_effort{7, 1000, 1000}, listing_effort{1000, 150, 5}, listing_effort{1, 1, 1}}) {
        std::vector<std::string> found;
        std::string cursor;
        int pages = 0;
        do {
            auto listed = list_files(root.get(), "", cursor, 10, most).value();
            for (const auto& each : listed.items) found.push_back(each.path);
            cursor = listed.next.value_or("");
            ++pages;
        } while (!cursor.empty() && pages < 1000);
        EXPECT_THAT(found, ElementsAre("d99/z", "z"));
        EXPECT_GT(pages, 10);
    }
}

TEST_F(file_listing_test, has_no_files_whose_paths_are_too_long) {
    const std::string name(200, 'n');
    const auto before = fs::current_path();
    fs::current_path(inside());
    for (int i = 0; i < 30; ++i) {
        fs::create_directory(name);
        fs::current_path(name);
        std::ofstream("f") << "x";
    }
    fs::current_path(before);
    auto found = all("", 3);
    ASSERT_EQ(found.size(), 20U);
    for (const auto& each : found) EXPECT_TRUE(files_.open(at(each))) << each.size();
}

}  // namespace
}  // namespace mounts
