#include "gateway/http/liveness.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace {

using namespace gateway::http;
using std::chrono::milliseconds;
using action = liveness::action;

// One peer, seen every eighth of a ping interval of 8 s.
class Liveness : public ::testing::Test {
  protected:
    action tick(bool reading = true) { return judge.tick(health, reading); }
    // The ticks until it is given up; 0 when it is not within 100.
    int ticks_until_end(bool reading = true) {
        for (int i = 1; i <= 100; ++i) {
            age(1000);
            if (tick(reading) == action::end) return i;
        }
        return 0;
    }
    void age(int ms) {
        health.since_data += milliseconds(ms);
        health.since_acknowledgement += milliseconds(ms);
    }
    void hear() { health.since_data = health.since_acknowledgement = milliseconds(0); }
    void acknowledge() { health.since_acknowledgement = milliseconds(0); }

    liveness judge{milliseconds(8000)};
    tcp_health health;
};

TEST_F(Liveness, LooksEightTimesAnInterval) { EXPECT_EQ(judge.tick_time(), milliseconds(1000)); }

TEST_F(Liveness, PingsASilentPeerOnceAnInterval) {
    int pings = 0;
    for (int i = 0; i < 70; ++i) {
        age(1000);
        auto now = tick();
        ASSERT_NE(now, action::end);
        if (now != action::ping) continue;
        ++pings;
        hear();
    }
    EXPECT_EQ(pings, 10);
}

TEST_F(Liveness, EndsAPeerThatAnswersNoPingWithinTwoIntervals) {
    auto ticks = ticks_until_end();
    EXPECT_GT(ticks, 8);
    EXPECT_LE(ticks, 16);
}

TEST_F(Liveness, EndsAPeerWhosePingIsLostOnTheWayWithinTwoIntervals) {
    for (int i = 0; i < 16; ++i) {
        age(1000);
        auto now = tick();
        if (now == action::ping) health.unacknowledged = 1;
        if (now == action::end) return;
    }
    FAIL();
}

TEST_F(Liveness, EndsAPeerThatVanishedWhileMuchWasOnItsWay) {
    health.unacknowledged = 100;
    health.unsent_bytes = 1 << 20;
    EXPECT_LE(ticks_until_end(), 16);
}

TEST_F(Liveness, KeepsAPeerThatDoesNotReadWhileItsTcpAnswers) {
    health.unsent_bytes = 1 << 20;
    for (int i = 0; i < 1000; ++i) {
        age(1000);
        if (i % 120 == 0) acknowledge();  // a window probe was answered: still closed
        ASSERT_EQ(tick(), action::nothing) << i;
    }
}

TEST_F(Liveness, EndsAClosedWindowThatNobodyAnswersFor) {
    health.unsent_bytes = 1 << 20;
    health.since_acknowledgement = milliseconds(299'000);
    EXPECT_EQ(ticks_until_end(), 2);
}

TEST_F(Liveness, KeepsAPeerThatSpeaksJustAfterEachLook) {
    for (int i = 0; i < 100; ++i) {
        health.since_data = milliseconds(1004);  // and the look itself came late
        ASSERT_EQ(tick(), action::nothing) << i;
    }
}

TEST_F(Liveness, KeepsAPeerThatOnlyReads) {
    health.unacknowledged = 10;
    for (int i = 0; i < 1000; ++i) {
        age(1000);
        acknowledge();
        ASSERT_EQ(tick(), action::nothing) << i;
    }
}

TEST_F(Liveness, BlamesNobodyForWhatWeDoNotRead) {
    for (int i = 0; i < 100; ++i) {
        age(1000);
        ASSERT_EQ(tick(false), action::nothing) << i;
    }
}

TEST_F(Liveness, BlamesNobodyForOurOwnSuspension) {
    age(3'600'000);
    EXPECT_EQ(tick(), action::nothing);
    hear();
    EXPECT_EQ(tick(), action::nothing);
}

}  // namespace
