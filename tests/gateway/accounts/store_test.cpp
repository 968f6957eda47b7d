#include "gateway/accounts/store.hpp"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/gateway/accounts/account_fixture.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::accounts {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* secret = "the-secret-of-the-tests";

std::string contents(const std::string& path) {
    std::ostringstream made;
    made << std::ifstream(path, std::ios::binary).rdbuf();
    return made.str();
}

struct AccountStore : testing::Test {
    test_support::temporary_directory home;
    std::string key_file = home.path() + "/accounts.key";

    std::unique_ptr<account_store> open() { return account_store::open(home.path(), "", {}).value(); }
    std::string sealed_secret() {
        sqlite3* database = nullptr;
        EXPECT_EQ(sqlite3_open((home.path() + "/cellgate.db").c_str(), &database), SQLITE_OK);
        std::string sealed;
        auto keep = [](void* into, int, char** values, char**) {
            *static_cast<std::string*>(into) = values[0];
            return 0;
        };
        sqlite3_exec(database, "SELECT secret FROM accounts", keep, &sealed, nullptr);
        sqlite3_close(database);
        EXPECT_THAT(sealed, SizeIs(testing::Gt(20u)));
        return sealed;
    }
    bool is_on_disk(const std::string& sealed) {
        return contents(home.path() + "/cellgate.db").find(sealed) != std::string::npos ||
               contents(home.path() + "/cellgate.db-wal").find(sealed) != std::string::npos;
    }
    // As another hand would write into the database.
    void run(const std::string& sql) {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open((home.path() + "/cellgate.db").c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database);
        sqlite3_close(database);
    }
};

TEST_F(AccountStore, KeepsAnAccountAndItsSecretOverARestart) {
    auto given = key_account(key_place::header, "x-token");
    given.hosts = {"up.example.com"};
    given.prefix = "Token ";
    given.alias = "work";
    auto made = open()->add(given, secret).value();
    EXPECT_THAT(made.id, testing::StartsWith("ca_"));
    auto store = open();
    EXPECT_EQ(store->find(made.id).value(), made);
    EXPECT_EQ(store->secret_of(made.id).value(), secret);
}

TEST_F(AccountStore, WritesNoSecretInTheClear) {
    auto store = open();
    ASSERT_TRUE(store->add(bearer_account(), secret));
    for (const char* name : {"/cellgate.db", "/cellgate.db-wal", "/accounts.key"})
        EXPECT_THAT(contents(home.path() + name), Not(HasSubstr(secret))) << name;
    struct stat about {};
    ASSERT_EQ(::stat(key_file.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(AccountStore, OpensNoSecretOfARowThatAnotherHandChanged) {
    auto store = open();
    auto made = store->add(key_account(key_place::header, "x-token"), secret).value();
    for (const char* change :
         {"base_url = 'https://evil.example'", "hosts = '[\"https://evil.example\"]'", "user_id = 'eve'",
          "toolkit = 'gmail'", "scheme = 'bearer'", "place = 'query'", "parameter = 'x-other'", "prefix = 'x'",
          "username = 'x'", "id = 'ca_other'", "secret = 'v1:00'", "secret = ''",
          "secret = substr(secret, 1, length(secret) - 2) || CASE WHEN secret LIKE '%00' THEN '11' ELSE '00' END",
          "secret = upper(secret)"}) {
        run("CREATE TABLE kept AS SELECT * FROM accounts");
        run(std::string("UPDATE accounts SET ") + change);
        auto id = store->list().value().at(0).id;
        auto opened = store->secret_of(id);
        ASSERT_FALSE(opened) << change;
        EXPECT_EQ(opened.error().code, errc::io_error);
        EXPECT_THAT(opened.error().message, HasSubstr(id));
        run("DELETE FROM accounts; INSERT INTO accounts SELECT * FROM kept; DROP TABLE kept");
    }
    EXPECT_EQ(store->secret_of(made.id).value(), secret);
}

TEST_F(AccountStore, OpensNoSecretThatWasCopiedToAnotherRow) {
    auto store = open();
    auto mine = store->add(bearer_account(), secret).value();
    auto other = store->add(bearer_account("github", "eve"), "another-secret").value();
    run("UPDATE accounts SET secret = (SELECT secret FROM accounts WHERE id = '" + mine.id + "') WHERE id = '" +
        other.id + "'");
    EXPECT_FALSE(store->secret_of(other.id));
}

TEST_F(AccountStore, MakesNoNewKeyWhileThereAreSecretsOfALostOne) {
    ASSERT_TRUE(open()->add(bearer_account(), secret));
    std::filesystem::remove(key_file);
    auto store = open();
    auto added = store->add(bearer_account("gmail"), secret);
    ASSERT_FALSE(added);
    EXPECT_THAT(added.error().message, HasSubstr(key_file));
    EXPECT_FALSE(store->check_key());
    EXPECT_FALSE(std::filesystem::exists(key_file));
    ASSERT_TRUE(store->remove(store->list().value().at(0).id));  // the way out
    EXPECT_TRUE(store->add(bearer_account("gmail"), secret));
}

TEST_F(AccountStore, SaysThatTheKeyIsAnother) {
    auto id = open()->add(bearer_account(), secret).value().id;
    std::ofstream(key_file) << std::string(64, 'a') << "\n";
    EXPECT_THAT(open()->secret_of(id).error().message, HasSubstr("key file"));
}

TEST_F(AccountStore, SeesWhatAnotherProcessDoes) {
    auto gateway_side = open(), command_side = open();
    auto made = command_side->add(bearer_account(), secret).value();
    EXPECT_EQ(gateway_side->secret_of(made.id).value(), secret);
    ASSERT_TRUE(command_side->remove(made.id));
    EXPECT_EQ(gateway_side->find(made.id).error().code, errc::account_not_found);
}

TEST_F(AccountStore, ChangesAliasStatusAndSecretAlone) {
    auto store = open();
    auto made = store->add(bearer_account(), secret).value();
    account_change change{"home", account_status::disabled, "another-secret"};
    auto now = store->change(made.id, change).value();
    EXPECT_EQ(now.alias, "home");
    EXPECT_EQ(open()->find(made.id)->status, account_status::disabled);
    EXPECT_EQ(store->secret_of(made.id).value(), "another-secret");
    EXPECT_EQ(store->change("ca_none", change).error().code, errc::account_not_found);
    EXPECT_EQ(store->change(made.id, {"ca_x", {}, {}}).error().code, errc::invalid_request);
    EXPECT_EQ(store->change(made.id, {{}, {}, "short"}).error().code, errc::invalid_request);
}

TEST_F(AccountStore, AnAliasIsOneAccountsOfAUserAndToolkit) {
    auto store = open();
    auto made = store->add(bearer_account("github", "ada", "work"), secret).value();
    EXPECT_EQ(store->add(bearer_account("github", "ada", "work"), secret).error().code, errc::name_taken);
    EXPECT_TRUE(store->add(bearer_account("github", "eve", "work"), secret));
    EXPECT_TRUE(store->add(bearer_account("gmail", "ada", "work"), secret));
    EXPECT_TRUE(store->change(made.id, {"work", {}, {}}));
}

TEST_F(AccountStore, ARemovedSecretIsGoneFromTheFiles) {
    auto store = open();
    auto made = store->add(bearer_account(), secret).value();
    auto removed = sealed_secret();
    EXPECT_TRUE(is_on_disk(removed));
    ASSERT_TRUE(store->remove(made.id));
    EXPECT_FALSE(is_on_disk(removed));
}

TEST_F(AccountStore, AChangedSecretIsGoneFromTheFiles) {
    auto store = open();
    auto made = store->add(bearer_account(), secret).value();
    auto old = sealed_secret();
    ASSERT_TRUE(store->change(made.id, {{}, {}, "another-secret"}));
    EXPECT_FALSE(is_on_disk(old));
    EXPECT_TRUE(is_on_disk(sealed_secret()));
}

TEST_F(AccountStore, AReaderPutsOffTheEndOfARemovedSecretAndHoldsUpNobody) {
    auto store = open();
    auto made = store->add(bearer_account(), secret).value();
    auto removed = sealed_secret();
    sqlite3* reader = nullptr;
    ASSERT_EQ(sqlite3_open((home.path() + "/cellgate.db").c_str(), &reader), SQLITE_OK);
    sqlite3_exec(reader, "BEGIN; SELECT * FROM accounts", nullptr, nullptr, nullptr);
    auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(store->remove(made.id));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1));
    EXPECT_TRUE(is_on_disk(removed));
    sqlite3_exec(reader, "COMMIT", nullptr, nullptr, nullptr);
    ASSERT_TRUE(store->add(bearer_account(), secret));
    EXPECT_FALSE(is_on_disk(removed));
    sqlite3_close(reader);
}

TEST_F(AccountStore, ReadsTheKeyOfAccountsThatWereAllMadeAnew) {
    auto gateway_side = open();
    auto first = gateway_side->add(bearer_account(), secret).value();
    ASSERT_TRUE(gateway_side->secret_of(first.id));
    ASSERT_TRUE(gateway_side->remove(first.id));
    std::filesystem::remove(key_file);
    auto second = open()->add(bearer_account(), "another-secret").value();
    EXPECT_EQ(gateway_side->secret_of(second.id).value(), "another-secret");
    auto third = gateway_side->add(bearer_account("gmail"), secret).value();
    EXPECT_EQ(open()->secret_of(third.id).value(), secret);
}

TEST_F(AccountStore, SealsNothingWithAKeyThatIsNowhere) {
    auto store = open();
    auto made = store->add(bearer_account(), secret).value();
    auto kept = contents(key_file);
    std::filesystem::remove(key_file);
    EXPECT_EQ(store->add(bearer_account("gmail"), secret).error().code, errc::io_error);
    EXPECT_EQ(store->change(made.id, {{}, {}, "another-secret"}).error().code, errc::io_error);
    EXPECT_EQ(store->secret_of(made.id).value(), secret) << "what it has read it can use";
    ASSERT_TRUE(store->remove(made.id));
    ASSERT_TRUE(store->add(bearer_account("gmail"), secret));
    EXPECT_NE(contents(key_file), "");
    EXPECT_NE(contents(key_file), kept);
}

TEST_F(AccountStore, OfTwoWhoTakeAnAliasAtOnceOneGetsIt) {
    std::vector<std::unique_ptr<account_store>> stores;
    for (int count = 0; count < 4; ++count) stores.push_back(open());
    std::atomic<int> taken{0}, refused{0};
    std::vector<std::thread> hands;
    for (auto& store : stores)
        hands.emplace_back([&] {
            for (int count = 0; count < 10; ++count) {
                auto made = store->add(bearer_account("github", "ada", "a" + std::to_string(count)), secret);
                if (made) ++taken;
                if (!made && made.error().code == errc::name_taken) ++refused;
            }
        });
    for (auto& each : hands) each.join();
    EXPECT_EQ(taken, 10);
    EXPECT_EQ(refused, 30);
    EXPECT_THAT(open()->list().value(), SizeIs(10));
}

TEST_F(AccountStore, SaysThatItsDatabaseIsBroken) {
    std::ofstream(home.path() + "/cellgate.db") << std::string(4096, 'x');
    auto opened = account_store::open(home.path(), "", {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, errc::io_error);
}

}  // namespace
}  // namespace gateway::accounts
