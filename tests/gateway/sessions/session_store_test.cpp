#include "gateway/sessions/session_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "gateway/sessions/cell_events.hpp"
#include "tests/support/temporary_directory.hpp"

namespace {

using namespace gateway;
using namespace gateway::sessions;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SessionStore : public ::testing::Test {
  protected:
    std::unique_ptr<session_store> open(std::uint64_t most = 1u << 20) {
        return std::move(open_session_store(home.path(), {most}).value());
    }
    static kept_session session(const std::string& id) {
        kept_session made;
        made.id = id;
        made.options.user_id = "ada";
        made.options.name = "name of " + id;
        made.options.kernel_name = "python3";
        made.options.env = {{"A", "1"}, {"B", "\xc3\xa9"}};
        made.options.sandbox = R"({"sandbox_size":"medium"})";
        made.options.cell_timeout = milliseconds(1500);
        made.options.network = egress::policy{egress::network_mode::all, {}, 7};
        made.options.settings.error_correction = correction_mode::report;
        made.options.settings.install = false;
        made.directory = "dir-" + id;
        made.created_at = wall_clock::time_point(std::chrono::microseconds(1'000'001));
        made.last_activity = wall_clock::time_point(std::chrono::microseconds(2'000'002));
        made.seq_limit = 1u << 20;
        made.restarts = 3;
        made.model = {4, 50, 60};
        made.searches = {7, 0, 0};
        return made;
    }
    static kept_cell a_cell(std::uint64_t seq, bool ended = true, std::size_t size = 10) {
        cell made;
        made.id = "cell_" + std::to_string(seq);
        made.seq_first = seq;
        made.status = ended ? cell_status::ok : cell_status::running;
        made.code = std::string(size, 'c');
        return keep(made, false, cell_finished_body(made), "");
    }
    static session_changes now(const std::string& id) { return {id, false, session(id), {}}; }
    static session_changes with_cells(const std::string& id, std::vector<kept_cell> cells) {
        session_changes made{id, false, std::nullopt, {}};
        for (auto& each : cells) made.cells[each.id] = each;
        return made;
    }
    static std::vector<std::uint64_t> seqs(const std::vector<kept_cell>& cells) {
        std::vector<std::uint64_t> all;
        for (const auto& each : cells) all.push_back(each.seq_first);
        return all;
    }

    test_support::temporary_directory home;
};

TEST_F(SessionStore, SealsWhatASessionHasInItsEnv) {
    auto changes = now("ses_1");
    changes.now->options.env = {{"TOKEN", "tk-readable-by-nobody"}};
    ASSERT_TRUE(open()->write({changes, now("ses_2")}));
    for (const auto& each : std::filesystem::directory_iterator(home.path())) {
        std::ifstream file(each.path());
        const std::string text(std::istreambuf_iterator<char>(file), {});
        EXPECT_EQ(text.find("readable-by-nobody"), text.npos) << each.path();
    }
    EXPECT_EQ(open()->load().value()[0].what.options.env, changes.now->options.env);
    const auto key = home.path() + "/env.key";
    std::filesystem::rename(key, key + ".away");
    auto without = open();
    auto loaded = without->load().value();
    ASSERT_EQ(loaded.size(), 2u);
    EXPECT_TRUE(loaded[0].what.options.env.empty());
    EXPECT_EQ(loaded[0].what.options.user_id, "ada");
    session_changes again{"ses_1", false, loaded[0].what, {}};
    ASSERT_TRUE(without->write({again}));
    std::filesystem::rename(key + ".away", key);
    EXPECT_EQ(open()->load().value()[0].what.options.env, changes.now->options.env) << "with the key back";
}

TEST_F(SessionStore, GivesBackASessionAsItWas) {
    ASSERT_TRUE(open()->write({now("ses_1")}));
    auto loaded = open()->load().value();
    ASSERT_EQ(loaded.size(), 1u);
    const auto& found = loaded[0].what;
    const auto expected = session("ses_1");
    EXPECT_EQ(found.options.user_id, "ada");
    EXPECT_EQ(found.options.name, expected.options.name);
    EXPECT_EQ(found.options.kernel_name, "python3");
    EXPECT_EQ(found.options.env, expected.options.env);
    EXPECT_EQ(found.options.sandbox, expected.options.sandbox);
    EXPECT_EQ(found.options.cell_timeout, milliseconds(1500));
    EXPECT_EQ(found.options.network, expected.options.network);
    EXPECT_FALSE(found.options.idle_timeout || found.options.lifetime);
    EXPECT_EQ(found.options.settings.error_correction, correction_mode::report);
    EXPECT_EQ(found.options.settings.install, false);
    EXPECT_EQ(found.directory, "dir-ses_1");
    EXPECT_EQ(found.created_at, expected.created_at);
    EXPECT_EQ(found.last_activity, expected.last_activity);
    EXPECT_EQ(found.seq_limit, 1u << 20);
    EXPECT_EQ(found.restarts, 3);
    EXPECT_EQ(found.model, expected.model);
    EXPECT_EQ(found.searches, expected.searches);
    EXPECT_THAT(loaded[0].cut_off, IsEmpty());
}

TEST_F(SessionStore, GivesBackCellsInOrderAndThoseThatWereCutOff) {
    ASSERT_TRUE(open()->write({now("ses_1"), with_cells("ses_1", {a_cell(30, false), a_cell(10), a_cell(20)})}));
    auto store = open();
    EXPECT_THAT(seqs(store->load().value()[0].cut_off), ElementsAre(30));
    EXPECT_THAT(seqs(store->cells("ses_1").value()), ElementsAre(10, 20, 30));
    EXPECT_THAT(store->cells("ses_2").value(), IsEmpty());
}

TEST_F(SessionStore, PutsANewerStateInPlaceOfAnOlder) {
    auto store = open();
    ASSERT_TRUE(store->write({now("ses_1"), with_cells("ses_1", {a_cell(10, false)})}));
    auto changed = now("ses_1");
    changed.now->options.name = "another";
    ASSERT_TRUE(store->write({changed, with_cells("ses_1", {a_cell(10, true)})}));
    auto loaded = store->load().value();
    EXPECT_EQ(loaded[0].what.options.name, "another");
    EXPECT_THAT(loaded[0].cut_off, IsEmpty());
}

TEST_F(SessionStore, ForgetsWhatWasRemovedWithItsCells) {
    auto store = open();
    ASSERT_TRUE(store->write({now("ses_1"), now("ses_2"), with_cells("ses_1", {a_cell(10)})}));
    ASSERT_TRUE(store->write({{"ses_1", true, std::nullopt, {}}}));
    auto loaded = open()->load().value();
    ASSERT_EQ(loaded.size(), 1u);
    EXPECT_EQ(loaded[0].what.id, "ses_2");
    EXPECT_THAT(store->cells("ses_1").value(), IsEmpty());
}

TEST_F(SessionStore, KeepsTheNewestCellsAndThoseThatRun) {
    auto store = open(20'000);
    ASSERT_TRUE(store->write({with_cells("ses_1", {a_cell(1, false, 3000)})}));
    for (std::uint64_t seq = 2; seq <= 30; ++seq)
        ASSERT_TRUE(store->write({with_cells("ses_1", {a_cell(seq, true, 3000)})}));
    auto left = seqs(store->cells("ses_1").value());
    EXPECT_EQ(left.front(), 1u);
    EXPECT_EQ(left.back(), 30u);
    EXPECT_LE(left.size(), 6u);
    EXPECT_GE(left.size(), 4u);
}

TEST_F(SessionStore, KeepsWhatAKeyMayStillNameWithoutItsTexts) {
    auto store = open(20'000);
    auto named = a_cell(1, true, 1000), forgotten = a_cell(2, true, 1000);
    for (auto* each : {&named, &forgotten}) {
        each->idempotency_key = "key " + each->id;
        each->out = std::string(5000, 'o');
    }
    named.ended_at = wall_clock::now();
    forgotten.ended_at = wall_clock::now() - std::chrono::hours(1);
    ASSERT_TRUE(store->write({with_cells("ses_1", {named, forgotten})}));
    for (std::uint64_t seq = 3; seq <= 30; ++seq)
        ASSERT_TRUE(store->write({with_cells("ses_1", {a_cell(seq, true, 3000)})}));
    auto left = store->cells("ses_1").value();
    ASSERT_EQ(left.front().seq_first, 1u);
    EXPECT_EQ(left.front().idempotency_key, named.idempotency_key);
    EXPECT_EQ(left.front().code, named.code);
    EXPECT_EQ(left.front().out, "");
    EXPECT_GT(left[1].seq_first, 2u);
    EXPECT_LE(left.size(), 7u);
}

TEST_F(SessionStore, CountsACellThatIsWrittenAgainOnce) {
    auto store = open(20'000);
    ASSERT_TRUE(store->write({with_cells("ses_1", {a_cell(1, true, 3000)})}));
    for (int times = 0; times < 20; ++times)
        ASSERT_TRUE(store->write({with_cells("ses_1", {a_cell(2, times > 10, 3000)})}));
    EXPECT_THAT(seqs(store->cells("ses_1").value()), ElementsAre(1, 2));
}

}  // namespace
