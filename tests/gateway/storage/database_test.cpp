#include "gateway/storage/database.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "gateway/storage/schema.hpp"
#include "gateway/storage/statement.hpp"
#include "tests/support/temporary_directory.hpp"

namespace {

using namespace gateway;
using namespace gateway::storage;
using ::testing::HasSubstr;

class Database : public ::testing::Test {
  protected:
    std::string path() const { return home.path() + "/cellgate.db"; }
    database open() { return std::move(database::open(home.path()).value()); }
    std::string refusal() { return database::open(home.path()).error().message; }
    // As another program would, without bringing the database to this program's schema.
    void run_raw(const char* sql) {
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
        sqlite3_close(raw);
    }
    static std::int64_t number(const database& in, const char* sql) {
        statement row(in.get(), sql);
        EXPECT_TRUE(row.step().value());
        return row.integer(0);
    }

    test_support::temporary_directory home;
};

TEST_F(Database, IsMadeWithTheNewestVersionAndPrivate) {
    auto made = open();
    EXPECT_EQ(number(made, "PRAGMA user_version"), newest_version());
    EXPECT_EQ(number(made, "SELECT COUNT(*) FROM keys"), 0);
    struct stat found {};
    ASSERT_EQ(::stat(path().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(Database, FromBeforeVersionsKeepsItsKeys) {
    run_raw(
        "CREATE TABLE keys (id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, "
        "scope TEXT NOT NULL, created_at TEXT NOT NULL, revoked_at TEXT);"
        "INSERT INTO keys VALUES ('key_1', 'laptop', 'h', 'ada', 'admin', '2026', NULL)");
    auto opened = open();
    EXPECT_EQ(number(opened, "PRAGMA user_version"), newest_version());
    EXPECT_EQ(number(opened, "SELECT COUNT(*) FROM keys WHERE name = 'laptop'"), 1);
}

TEST_F(Database, OfANewerProgramIsRefusedAndLeftAlone) {
    run_raw("CREATE TABLE news (what TEXT); PRAGMA user_version = 1000");
    EXPECT_THAT(refusal(), HasSubstr("newer Cellgate"));
    EXPECT_THAT(refusal(), HasSubstr("version 1000"));
    run_raw("INSERT INTO news VALUES ('still there')");
}

TEST_F(Database, ThatIsNoDatabaseIsRefusedWithAdvice) {
    std::ofstream(path()) << std::string(5000, 'x');
    EXPECT_THAT(refusal(), HasSubstr(path() + ": file is not a database"));
    EXPECT_THAT(refusal(), HasSubstr("put a copy of it back, or move it away"));
}

TEST_F(Database, ThatLostItsSchemaIsRefusedWithAdvice) {
    (void)open();
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);  // behind the header: the first page's tree
    file << std::string(300, '\xff');
    file.close();
    EXPECT_THAT(refusal(), HasSubstr("malformed"));
    EXPECT_THAT(refusal(), HasSubstr("put a copy of it back"));
}

TEST_F(Database, BindsWhatItIsGiven) {
    auto made = open();
    std::string bytes("a\0b", 3);
    const std::vector<parameter> given{std::string("text"), std::int64_t(7), blob{bytes}, {}};
    statement bound(made.get(), "SELECT ?, ?, ?, ?", given);
    ASSERT_TRUE(bound.step().value());
    EXPECT_EQ(bound.text(0), "text");
    EXPECT_EQ(bound.integer(1), 7);
    EXPECT_EQ(bound.text(2), bytes);
    EXPECT_TRUE(bound.is_null(3));
}

TEST_F(Database, TakesBackATransactionThatIsNotCommitted) {
    auto made = open();
    const char* insert = "INSERT INTO keys VALUES (?, 'n', ?, 'u', 's', 't', NULL)";
    {
        auto all = transaction::begin(made.get()).value();
        ASSERT_TRUE(execute(made.get(), insert, {"key_1", "hash"}));
    }
    EXPECT_EQ(number(made, "SELECT COUNT(*) FROM keys"), 0);
    auto all = transaction::begin(made.get()).value();
    ASSERT_TRUE(execute(made.get(), insert, {"key_1", "hash"}));
    ASSERT_TRUE(all.commit());
    EXPECT_EQ(number(open(), "SELECT COUNT(*) FROM keys"), 1);
}

// SQLite's locks are the process's: closing any descriptor of the file drops them, and the next program that ends would
// take the -wal away from under us.
TEST_F(Database, KeepsItsLocksWhenItIsOpenedAgain) {
    auto first = open();
    EXPECT_EQ(number(first, "SELECT COUNT(*) FROM keys"), 0);
    auto second = open();
    auto child = ::fork();
    if (child == 0) {
        int fd = ::open(path().c_str(), O_RDWR | O_CLOEXEC);
        struct flock lock {};
        lock.l_type = F_WRLCK;
        lock.l_start = 0x40000002;  // SQLite's shared range (sqlite.org/src, os.h)
        lock.l_len = 510;
        bool is_held = fd >= 0 && ::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
        ::_exit(is_held ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(Database, SaysThatItsDiskIsFull) {
    auto made = open();
    ASSERT_TRUE(execute(made.get(), "PRAGMA max_page_count = 1"));
    auto refused = execute(made.get(), "INSERT INTO keys VALUES ('key_1', ?, 'h', 'u', 's', 't', NULL)",
                           {std::string(1u << 20, 'x')});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::io_error);
    EXPECT_THAT(refused.error().message, HasSubstr("free some space on its disk"));
}

}  // namespace
