#include "messaging/large_text.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace messaging {
namespace {

constexpr std::size_t huge_page = 2u << 20;
constexpr std::size_t least_large = 2 * huge_page;  // there is a whole huge page in it, wherever it begins

}  // namespace

void reserve_large(std::string& text, std::size_t bytes) {
    if (bytes <= text.capacity()) return;
    text.reserve(bytes);
    prefer_huge_pages(text.data() + text.size(), text.capacity() - text.size());
}

// Whole huge pages alone: what is at the edges is others' too. A refusal changes nothing but the speed.
void prefer_huge_pages(void* begin, std::size_t bytes) {
    if (bytes < least_large) return;
    auto address = reinterpret_cast<std::uintptr_t>(begin);
    auto first = (address + huge_page - 1) & ~(huge_page - 1);
    auto end = (address + bytes) & ~(huge_page - 1);
    if (first < end) (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace messaging
