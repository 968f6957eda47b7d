#include "messaging/large_text.hpp"

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>

namespace messaging {
namespace {

// Whether the mapping that holds the address asks for huge pages.
bool is_advised(const void* address) {
    std::ifstream maps("/proc/self/smaps");
    auto wanted = reinterpret_cast<std::uintptr_t>(address);
    bool is_here = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
            is_here = wanted >= begin && wanted < end;
        if (is_here && line.rfind("VmFlags:", 0) == 0) return line.find(" hg") != std::string::npos;
    }
    return false;
}

bool has_huge_pages() { return std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good(); }

TEST(large_text, makes_the_room_and_keeps_the_text) {
    std::string text = "abc";
    reserve_large(text, 5'000'000);
    EXPECT_GE(text.capacity(), 5'000'000U);
    EXPECT_EQ(text, "abc");
    auto* place = text.data();
    reserve_large(text, 10);
    EXPECT_EQ(text.data(), place);
}

TEST(large_text, asks_for_huge_pages_for_large_room_alone) {
    std::string large;
    reserve_large(large, 16'000'000);
    EXPECT_EQ(is_advised(large.data() + 8'000'000), has_huge_pages());
    std::string small;
    reserve_large(small, 1'000'000);
    EXPECT_FALSE(is_advised(small.data() + 500'000));
}

}  // namespace
}  // namespace messaging
