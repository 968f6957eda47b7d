#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gateway/api/composio/configuration_store.hpp"
#include "gateway/storage/database.hpp"
#include "gateway/storage/statement.hpp"
#include "tests/support/temporary_directory.hpp"

namespace gateway::api::composio {
namespace {

using nlohmann::json;

class KeptConfigurations : public ::testing::Test {
  protected:
    void SetUp() override {
        for (const auto* id : {"ses_1", "ses_2"}) add_session(id);
    }
    std::unique_ptr<configuration_store> open(std::size_t most = 100) {
        return std::move(open_configuration_store(home.path(), most).value());
    }
    void add_session(const std::string& id) {
        run("INSERT INTO sessions VALUES (?, 'u', 'n', 'k', 'd', '{}', '{}', 1, 1, 1, 0, '{}')", id);
    }
    void run(const char* sql, const std::string& argument) {
        auto database = std::move(storage::database::open(home.path()).value());
        auto done = storage::execute(database.get(), sql, {argument});
        ASSERT_TRUE(done) << done.error().message;
    }
    static configuration of_size(const std::string& size) {
        return read_configuration(json{{"workbench", {{"sandbox_size", size}}}}).value();
    }

    test_support::temporary_directory home;
};

TEST_F(KeptConfigurations, AreThereAgainWithTheirHistory) {
    auto made = open()->add("ses_1", of_size("medium")).value();
    auto store = open();
    EXPECT_EQ(store->current("ses_1")->what.workbench.size, "medium");
    EXPECT_EQ(store->current("ses_1")->what.document, made->what.document);
    EXPECT_EQ(store->add("ses_1", of_size("large")).value()->number, 2u);
    auto history = open()->history("ses_1");
    ASSERT_EQ(history.size(), 2u);
    EXPECT_EQ(history[0]->number, 2u);
    EXPECT_EQ(history[0]->what.workbench.size, "large");
    EXPECT_EQ(history[1]->number, 1u);
    EXPECT_LT(made->made_at - history[1]->made_at, std::chrono::milliseconds(1));
}

TEST_F(KeptConfigurations, AreTheNewestOnes) {
    auto store = open(3);
    for (int times = 0; times < 5; ++times) ASSERT_TRUE(store->add("ses_1", of_size("large")));
    auto history = open(3)->history("ses_1");
    ASSERT_EQ(history.size(), 3u);
    EXPECT_EQ(history.front()->number, 5u);
    EXPECT_EQ(store->history("ses_1").size(), 3u);
}

TEST_F(KeptConfigurations, GoWithTheirSession) {
    auto store = open();
    ASSERT_TRUE(store->add("ses_1", {}));
    ASSERT_TRUE(store->add("ses_2", {}));
    store->remove("ses_1");
    run("DELETE FROM sessions WHERE id = ?", "ses_2");
    EXPECT_THAT(open()->session_ids(), ::testing::IsEmpty());
}

TEST_F(KeptConfigurations, ThatCannotBeReadLetNothingIn) {
    ASSERT_TRUE(open()->add("ses_1", of_size("large")));
    for (const char* document : {R"({"toolkits":7,"workbench":{"sandbox_size":"giant"}})", "{"}) {
        run("UPDATE configurations SET document = ?", document);
        auto read = open()->current("ses_1");
        EXPECT_EQ(read->number, 1u);
        EXPECT_EQ(read->what.workbench.size, "standard");
        EXPECT_FALSE(read->what.workbench.proxy_execution);
        EXPECT_FALSE(read->what.admits("DEMO", "DEMO_ADD", {}));
        EXPECT_FALSE(change_configuration(read->what, json::object())->admits("DEMO", "DEMO_ADD", {}));
    }
}

TEST_F(KeptConfigurations, AreReadWithoutWhatHasNoEffect) {
    ASSERT_TRUE(open()->add("ses_1", of_size("large")));
    run("UPDATE configurations SET document = ?",
        R"({"workbench":{"sandbox_size":"large"},"premium_usage":"x","manage_connections":{"callback_url":5}})");
    EXPECT_EQ(open()->current("ses_1")->what.workbench.size, "large");
    EXPECT_TRUE(open()->current("ses_1")->what.admits("DEMO", "DEMO_ADD", {}));
}

}  // namespace
}  // namespace gateway::api::composio
