#include "gateway/http/key_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <sstream>

#include "gateway/http/key_authenticator.hpp"
#include "gateway/http/keys_command.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_directory.hpp"

namespace {

using namespace gateway;
using namespace gateway::http;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class KeyStore : public ::testing::Test {
  protected:
    std::unique_ptr<key_store> open() { return std::move(key_store::open(data_dir()).value()); }
    std::string data_dir() const { return home.path() + "/data/cellgate"; }
    int mode(const std::string& path) const {
        struct stat found {};
        EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
        return found.st_mode & 0777;
    }
    std::string whole_directory() const {
        std::string bytes;
        for (const auto& entry : std::filesystem::directory_iterator(data_dir())) {
            std::ifstream file(entry.path(), std::ios::binary);
            bytes.append(std::istreambuf_iterator<char>(file), {});
        }
        return bytes;
    }

    test_support::temporary_directory home;
};

TEST_F(KeyStore, FindsAKeyThatWasAdded) {
    auto store = open();
    auto made = store->add("laptop", "ada", scope::session).value();
    EXPECT_EQ(made.key.size(), 3 + 64u);
    EXPECT_TRUE(made.key.starts_with("cg_"));
    auto found = store->find(made.key);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->user_id, "ada");
    EXPECT_EQ(found->allowed, scope::session);
    EXPECT_EQ(found->key_id, made.record.id);
    EXPECT_FALSE(store->find(made.key + "0"));
    EXPECT_FALSE(store->find(""));
}

TEST_F(KeyStore, KeepsKeysOverARestart) {
    auto key = open()->add("laptop", "ada", scope::execute).value().key;
    EXPECT_TRUE(open()->find(key));
}

TEST_F(KeyStore, KeepsOnlyHashesInPrivateFiles) {
    auto store = open();
    auto key = store->add("laptop", "ada", scope::execute).value().key;
    EXPECT_EQ(mode(data_dir()), 0700);
    for (auto name : {"/cellgate.db", "/cellgate.db-wal", "/cellgate.db-shm"})
        EXPECT_EQ(mode(data_dir() + name), 0600) << name;
    auto bytes = whole_directory();
    EXPECT_THAT(bytes, HasSubstr("laptop"));
    EXPECT_EQ(bytes.find(key.substr(3)), std::string::npos);
}

TEST_F(KeyStore, TightensADatabaseThatOthersCouldRead) {
    open();
    ::chmod((data_dir() + "/cellgate.db").c_str(), 0644);
    open();
    EXPECT_EQ(mode(data_dir() + "/cellgate.db"), 0600);
}

TEST_F(KeyStore, RefusesARevokedKey) {
    auto store = open();
    auto made = store->add("laptop", "ada", scope::execute).value();
    auto revoked = store->revoke("laptop").value();
    EXPECT_EQ(revoked.id, made.record.id);
    EXPECT_TRUE(revoked.revoked_at);
    EXPECT_FALSE(store->find(made.key));
    EXPECT_EQ(store->revoke("laptop").error().code, errc::not_found);
    EXPECT_EQ(store->list().value().size(), 1u);
    EXPECT_TRUE(store->add("laptop", "ada", scope::execute));
}

TEST_F(KeyStore, TellsOwnRevocationsOnce) {
    auto store = open();
    auto id = store->add("laptop", "ada", scope::execute).value().record.id;
    (void)store->revoke(id).value();
    EXPECT_THAT(store->refresh().value(), ElementsAre(id));
    EXPECT_THAT(store->refresh().value(), IsEmpty());
}

TEST_F(KeyStore, TakesOverWhatAnotherProcessDoes) {
    auto gateway_side = open(), command_side = open();
    auto made = command_side->add("laptop", "ada", scope::execute).value();
    EXPECT_THAT(gateway_side->refresh().value(), IsEmpty());
    EXPECT_TRUE(gateway_side->find(made.key));
    (void)command_side->revoke(made.record.id).value();
    EXPECT_THAT(gateway_side->refresh().value(), ElementsAre(made.record.id));
    EXPECT_FALSE(gateway_side->find(made.key));
}

TEST_F(KeyStore, RefusesWhatMakesNoKey) {
    auto store = open();
    EXPECT_EQ(store->add("", "ada", scope::execute).error().code, errc::invalid_request);
    EXPECT_EQ(store->add("x", "", scope::execute).error().code, errc::invalid_request);
    EXPECT_EQ(store->add("x", "ada", scope::none).error().code, errc::invalid_request);
    (void)store->add("x", "ada", scope::execute).value();
    EXPECT_EQ(store->add("x", "bob", scope::execute).error().code, errc::name_taken);
}

TEST_F(KeyStore, SaysWhereItCannotWrite) {
    std::ofstream(home.path() + "/file") << "x";
    auto opened = key_store::open(home.path() + "/file");
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr(home.path() + "/file"));
    std::filesystem::create_directory(home.path() + "/broken");
    std::ofstream(home.path() + "/broken/cellgate.db") << std::string(4096, 'x');
    EXPECT_EQ(key_store::open(home.path() + "/broken").error().code, errc::io_error);
}

TEST_F(KeyStore, SavesFromSqlInNames) {
    auto store = open();
    (void)store->add("'; DROP TABLE keys; --", "ada", scope::execute).value();
    EXPECT_EQ(store->list().value().at(0).name, "'; DROP TABLE keys; --");
}

TEST_F(KeyStore, TellsTheGatewayOfARevocationWithinASecond) {
    boost::asio::io_context io;
    auto gateway_side = open(), command_side = open();
    auto made = command_side->add("laptop", "ada", scope::execute).value();
    key_authenticator keys(*gateway_side, "");
    std::string told;
    task_group tasks(io.get_executor());
    tasks.spawn("watch", keys.watch([&](const std::string& id) { told = id; }));
    ASSERT_TRUE(test_support::run_until(io, [&] { return keys.find(made.key).has_value(); }));
    (void)command_side->revoke(made.record.id).value();
    EXPECT_TRUE(test_support::run_until(
        io, [&] { return !told.empty(); }, std::chrono::seconds(1)));
    EXPECT_EQ(told, made.record.id);
    EXPECT_FALSE(keys.find(made.key));
    tasks.cancel();
    EXPECT_TRUE(test_support::run_until(io, [&] { return tasks.size() == 0; }));
}

TEST_F(KeyStore, TakesAKeyThatAnotherProcessMadeAMomentAgo) {
    auto gateway_side = open(), command_side = open();
    key_authenticator keys(*gateway_side, "");
    EXPECT_FALSE(keys.find("cg_unknown"));
    auto made = command_side->add("laptop", "ada", scope::execute).value();
    EXPECT_TRUE(keys.find(made.key));
}

TEST_F(KeyStore, TakesAnAdminTokenThatIsKeptInMemory) {
    auto store = open();
    key_authenticator keys(*store, "my token");
    auto found = keys.find("my token");
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->is_admin());
    EXPECT_EQ(found->user_id, "default");
    EXPECT_FALSE(keys.find("my toke"));
    EXPECT_FALSE(keys.find(""));
    EXPECT_FALSE(keys.find(std::nullopt));
    EXPECT_FALSE(key_authenticator(*store, "").find(""));
    EXPECT_EQ(whole_directory().find("my token"), std::string::npos);
}

TEST_F(KeyStore, LetsEveryoneInWhenKeysAreOff) {
    open_authenticator keys;
    EXPECT_TRUE(keys.find(std::nullopt)->is_admin());
    EXPECT_FALSE(keys.requires_key());
}

TEST_F(KeyStore, IsManagedByCommands) {
    auto store = open();
    std::ostringstream key, listing, out, errors;
    EXPECT_EQ(add_key(*store, "laptop", "ada", "session", key, errors), 0);
    auto text = key.str();
    EXPECT_TRUE(store->find(text.substr(0, text.size() - 1)));
    EXPECT_EQ(list_keys(*store, listing, errors), 0);
    EXPECT_THAT(listing.str(), HasSubstr("laptop"));
    EXPECT_EQ(listing.str().find(text.substr(0, 10)), std::string::npos);
    EXPECT_EQ(revoke_key(*store, "laptop", out, errors), 0);
    EXPECT_EQ(revoke_key(*store, "laptop", out, errors), 1);
    EXPECT_THAT(errors.str(), HasSubstr("there is no key laptop in use"));
    EXPECT_EQ(add_key(*store, "x", "ada", "root", out, errors), 2);
    EXPECT_THAT(errors.str(), HasSubstr("execute, session and admin"));
}

}  // namespace
