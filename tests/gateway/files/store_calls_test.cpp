#include "gateway/files/store_calls.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

#include "mounts/local_files.hpp"
#include "tests/support/await.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class store_calls_test : public testing::Test {
  protected:
    template <class T>
    T wait(awaitable<T> work) {
        return test_support::await(io_, std::move(work));
    }
    result<mounts::written_file> put(const std::string& path, const std::string& text,
                                     mounts::file_condition condition = {}) {
        return wait(write(store_, pool_, parse_path(path).value(), text, std::move(condition)));
    }
    result<mounts::file_page> page(const std::string& prefix, const std::string& cursor = "", std::size_t limit = 10) {
        return wait(list(store_, pool_, prefix, cursor, limit));
    }

    test_support::temporary_directory files_, uploads_;
    asio::io_context io_;
    asio::thread_pool pool_{1};
    shared_store store_ = std::make_shared<mounts::local_files>(files_.path(), uploads_.path());
};

TEST_F(store_calls_test, take_paths_in_every_form_that_callers_use) {
    for (const char* each : {"d/a", "/d/a", "/mnt/files/d/a", "d/a/"}) EXPECT_EQ(parse_path(each)->text(), "d/a");
    for (const char* each : {"", "/", "/mnt/files", "../a", "d//a", "d/./a"})
        EXPECT_EQ(parse_path(each).error().code, errc::invalid_request) << each;
}

TEST_F(store_calls_test, write_a_file_that_is_in_memory) {
    auto made = put("mex/a.json", "{}");
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->is_new);
    EXPECT_EQ(wait(stat(store_, pool_, parse_path("mex/a.json").value()))->version, made->info.version);
    EXPECT_EQ(store_->find_sha256(made->info.version), made->sha256);
    mounts::file_condition only_new;
    only_new.must_not_exist = true;
    EXPECT_EQ(put("mex/a.json", "x", only_new).error().code, errc::precondition_failed);
    EXPECT_EQ(put("mex", "x").error().code, errc::file_unusable);
}

TEST_F(store_calls_test, list_what_can_be_asked_for) {
    put("a", "1");
    put("d/b", "2");
    std::ofstream(files_.path() + "/\xff") << "no text";
    auto first = page("", "", 1);
    ASSERT_TRUE(first);
    ASSERT_EQ(first->items.size(), 1U);
    EXPECT_EQ(first->items[0].path, "a");
    auto rest = page("", first->next.value());
    ASSERT_EQ(rest->items.size(), 1U);
    EXPECT_EQ(rest->items[0].path, "d/b");
    for (const char* everything : {"/", "/mnt/files", "/mnt/files/"}) EXPECT_EQ(page(everything)->items.size(), 2U);
    EXPECT_EQ(page("/mnt/files/d/")->items.size(), 1U);
    EXPECT_EQ(page("../").error().code, errc::invalid_request);
    EXPECT_EQ(page("", "no cursor").error().code, errc::invalid_request);
}

TEST_F(store_calls_test, remove_once) {
    put("d/a", "1");
    const auto directory = parse_path("d").value();
    EXPECT_TRUE(wait(remove(store_, pool_, directory)).value());
    EXPECT_FALSE(wait(remove(store_, pool_, directory)).value());
    EXPECT_EQ(wait(stat(store_, pool_, directory)).error().code, errc::file_not_found);
}

TEST_F(store_calls_test, fail_in_words_when_the_session_has_ended) {
    fs::remove_all(files_.path());
    EXPECT_THAT(page("").error().message, HasSubstr("the session has ended"));
    EXPECT_EQ(put("a", "1").error().code, errc::file_not_found);
}

}  // namespace
}  // namespace gateway::files
