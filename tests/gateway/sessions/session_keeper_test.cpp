#include "gateway/sessions/session_keeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <mutex>
#include <set>

#include "tests/support/await.hpp"

namespace {

using namespace gateway;
using namespace gateway::sessions;

// What was committed, and which sessions it refuses to write.
class fake_store final : public session_store {
  public:
    result<std::vector<loaded_session>> load() override { return std::vector<loaded_session>(); }
    result<std::vector<kept_cell>> cells(const std::string&) override {
        return failure{errc::io_error, "cannot be read"};
    }
    result<void> write(const std::vector<session_changes>& what) override {
        std::lock_guard lock(mutex);
        ++commits;
        for (const auto& each : what)
            if (refused.contains(each.id)) return failure{errc::io_error, "the disk is full"};
        for (const auto& each : what) {
            if (each.removed) sessions.erase(each.id);
            if (each.removed) removed.insert(each.id);
            if (each.now) sessions[each.id] = each.now->seq_limit;
            for (const auto& [id, cell] : each.cells) cells_written[id] = cell.out;
        }
        return {};
    }

    std::mutex mutex;
    std::set<std::string> refused, removed;
    std::map<std::string, std::uint64_t> sessions;
    std::map<std::string, std::string> cells_written;
    int commits = 0;
};

class SessionKeeper : public ::testing::Test {
  protected:
    ~SessionKeeper() override { pool.join(); }
    void put(const std::string& id, std::uint64_t seq_limit) {
        kept_session made;
        made.id = id;
        made.seq_limit = seq_limit;
        keeper.put(std::move(made));
    }
    void put_cell(const std::string& session, const std::string& id, std::size_t bytes = 1, std::uint64_t seq = 0) {
        kept_cell made;
        made.id = id;
        made.seq_first = seq;
        made.out = std::string(bytes, 'o');
        keeper.put(session, std::move(made));
    }
    result<void> written(const std::string& id) { return test_support::await(io, keeper.written(id)); }
    void stop() { test_support::await(io, keeper.stop()); }

    asio::io_context io;
    asio::thread_pool pool{1};
    fake_store store;
    session_keeper keeper{io.get_executor(), pool, store};
};

TEST_F(SessionKeeper, WritesTheNewestOfWhatWasPut) {
    put("ses_1", 1);
    put("ses_1", 2);
    put("ses_2", 3);
    EXPECT_TRUE(written("ses_1"));
    EXPECT_EQ(store.sessions, (std::map<std::string, std::uint64_t>{{"ses_1", 2}, {"ses_2", 3}}));
    EXPECT_EQ(store.commits, 1);
    stop();
}

TEST_F(SessionKeeper, AnswersAtOnceWhenThereIsNothingToWrite) {
    EXPECT_TRUE(written("ses_1"));
    stop();
}

TEST_F(SessionKeeper, TellsWhoAskedThatItsSessionWasRefusedAndNobodyElse) {
    store.refused = {"ses_1"};
    put("ses_1", 1);
    put("ses_2", 2);
    auto refused = written("ses_1");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "the disk is full");
    EXPECT_TRUE(written("ses_2"));
    EXPECT_TRUE(store.sessions.contains("ses_2"));
    store.refused.clear();
    stop();
}

TEST_F(SessionKeeper, WritesWhatWasRefusedOnceTheDiskTakesIt) {
    store.refused = {"ses_1"};
    put("ses_1", 1);
    put_cell("ses_1", "cell_1");
    EXPECT_FALSE(written("ses_1"));
    store.refused.clear();
    put_cell("ses_1", "cell_2");
    EXPECT_TRUE(written("ses_1"));
    EXPECT_EQ(store.sessions["ses_1"], 1u);
    EXPECT_EQ(store.cells_written.size(), 2u);
    stop();
}

TEST_F(SessionKeeper, DoesNotPutAnOlderStateInPlaceOfANewer) {
    store.refused = {"ses_1"};
    put("ses_1", 1);
    EXPECT_FALSE(written("ses_1"));
    put("ses_1", 2);
    store.refused.clear();
    EXPECT_TRUE(written("ses_1"));
    EXPECT_EQ(store.sessions["ses_1"], 2u);
    stop();
}

TEST_F(SessionKeeper, RemovesForGood) {
    put("ses_1", 1);
    keeper.remove("ses_1");
    put("ses_1", 2);
    put_cell("ses_1", "cell_1");
    EXPECT_TRUE(written("ses_1"));
    EXPECT_TRUE(store.sessions.empty() && store.cells_written.empty());
    EXPECT_TRUE(store.removed.contains("ses_1"));
    stop();
}

TEST_F(SessionKeeper, ASessionThatWasRefusedAndRemovedIsRemoved) {
    store.refused = {"ses_1"};
    put("ses_1", 1);
    EXPECT_FALSE(written("ses_1"));
    keeper.remove("ses_1");
    EXPECT_FALSE(written("ses_1"));
    store.refused.clear();
    stop();
    EXPECT_TRUE(store.sessions.empty());
    EXPECT_TRUE(store.removed.contains("ses_1"));
}

TEST_F(SessionKeeper, KeepsWhatWaitsForTheDiskInBounds) {
    store.refused = {"ses_1"};
    for (int each = 0; each < 100; ++each) put_cell("ses_1", "cell_" + std::to_string(each), 1u << 20);
    EXPECT_LE(keeper.waiting_bytes(), 17u << 20);
    for (std::uint64_t each = 0; each < 10'100; ++each) put_cell("ses_1", "c" + std::to_string(each), 1, 1000 + each);
    EXPECT_FALSE(written("ses_1"));
    store.refused.clear();
    stop();
    EXPECT_EQ(store.cells_written.size(), 10'000u);
    EXPECT_TRUE(store.cells_written.contains("c10099"));
    EXPECT_FALSE(store.cells_written.contains("cell_0"));
}

TEST_F(SessionKeeper, StopsWithADiskThatRefuses) {
    store.refused = {"ses_1"};
    put("ses_1", 1);
    stop();
    EXPECT_TRUE(store.sessions.empty());
}

TEST_F(SessionKeeper, WritesWhatIsLeftWhenItStops) {
    put("ses_1", 1);
    stop();
    EXPECT_TRUE(store.sessions.contains("ses_1"));
}

TEST_F(SessionKeeper, HasNoCellsWhereTheyCannotBeRead) {
    EXPECT_TRUE(keeper.read_cells("ses_1").empty());
    stop();
}

}  // namespace
