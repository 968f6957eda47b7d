#include "gateway/sessions/kept_cell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/sessions/cell_events.hpp"

namespace {

using namespace gateway;
using namespace gateway::sessions;
using ::testing::HasSubstr;

const auto now = wall_clock::time_point(std::chrono::microseconds(1'764'000'000'123'456));

cell finished_cell() {
    cell made;
    made.id = "cell_1";
    made.seq_first = 17;
    made.seq_last = 21;
    made.status = cell_status::error;
    made.execution_count = 3;
    made.code = "1 / 0";
    made.metadata = R"({"cellId":"c"})";
    made.out.head = "out \xc3\xa9";
    made.err.head = "err";
    made.err.file = "/mnt/files/.composio/output/cell_1.stderr.txt";
    made.error = cell_error{"ZeroDivisionError", "division by zero", {"line 1", "line 2"}};
    made.corrections.push_back({3, 6, "apiKey", "api_key", "field_name"});
    made.installed.push_back({"six", "1.16", "six"});
    made.queued_at = now;
    made.started_at = now;
    made.ended_at = now + milliseconds(5);
    made.duration = milliseconds(5);
    made.current_step = "SUM";
    made.current_step_metric = R"({"done":1})";
    made.idempotency_key = "key";
    return made;
}

cell again(const cell& from, const std::string& result = "") {
    return restore(keep(from, false, cell_finished_body(from), result), now);
}

TEST(KeptCell, IsToldAsItWas) {
    const auto before = finished_cell();
    const auto after = again(before, R"({"data":{"text/plain":"4"}})");
    EXPECT_EQ(cell_finished_body(after), cell_finished_body(before));
    EXPECT_EQ(after.code, before.code);
    EXPECT_EQ(after.out.head, before.out.head);
    EXPECT_EQ(after.err.head, before.err.head);
    EXPECT_EQ(after.metadata, before.metadata);
    EXPECT_EQ(after.idempotency_key, "key");
    EXPECT_EQ(after.ended_at, before.ended_at);
    EXPECT_EQ(after.kept_result, R"({"data":{"text/plain":"4"}})");
    EXPECT_TRUE(after.restored);
}

TEST(KeptCell, WithEveryStatusAndReasonIsTheSame) {
    for (int status = 2; status <= 7; ++status)
        for (int reason = 0; reason <= 10; ++reason) {
            auto before = finished_cell();
            before.status = static_cast<cell_status>(status);
            before.reason = static_cast<cell_reason>(reason);
            EXPECT_EQ(cell_finished_body(again(before)), cell_finished_body(before));
        }
}

TEST(KeptCell, ThatHadNotEndedIsLost) {
    for (auto status : {cell_status::queued, cell_status::running}) {
        cell before;
        before.id = "cell_2";
        before.status = status;
        const auto after = again(before);
        EXPECT_EQ(after.status, cell_status::lost);
        EXPECT_EQ(after.reason, cell_reason::gateway_ended);
        EXPECT_TRUE(after.kernel_restarted);
        EXPECT_EQ(after.ended_at, now);
    }
}

TEST(KeptCell, CountsDisplaysThatItDoesNotKeep) {
    auto before = finished_cell();
    before.displays.resize(2);
    EXPECT_EQ(again(before).displays.size(), 2u);
}

TEST(KeptCell, SaysWhatIsTooLargeToBeKept) {
    auto before = finished_cell();
    before.code = std::string(300'000, 'c');
    before.out.head = std::string(300'000, 'o');
    const auto kept = keep(before, false, cell_finished_body(before),
                           "{\"data\":{\"text/plain\":\"" + std::string(100'000, 'r') + "\"}}");
    EXPECT_LT(kept.bytes(), 700'000u);
    EXPECT_THAT(kept.out, HasSubstr("cut here"));
    EXPECT_THAT(kept.result, HasSubstr("too large to be kept"));
    EXPECT_EQ(kept.code, before.code) << "which its key is compared with";
    before.idempotency_key.clear();
    EXPECT_EQ(keep(before, false, cell_finished_body(before), "").code, "");
}

TEST(KeptCell, WithALongErrorKeepsWhatItIsInShort) {
    auto before = finished_cell();
    before.error->traceback.assign(1000, std::string(1000, 't'));
    const auto kept = keep(before, false, cell_finished_body(before), "");
    EXPECT_LT(kept.bytes(), 10'000u);
    EXPECT_EQ(restore(kept, now).error->evalue, "division by zero");
}

TEST(KeptCell, OfDamagedTextIsLostButKnown) {
    kept_cell damaged;
    damaged.id = "cell_3";
    damaged.ended = true;
    damaged.summary = R"({"status":7,"corrections":[1,{"line":"x"}],"error":[],"execution_count":"x"})";
    const auto after = restore(damaged, now);
    EXPECT_EQ(after.id, "cell_3");
    EXPECT_EQ(after.status, cell_status::lost);
}

}  // namespace
