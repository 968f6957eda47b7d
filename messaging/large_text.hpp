// Room for texts of megabytes. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

namespace messaging {

// As text.reserve(bytes). The first touch of a page costs more than copying what it holds: large room is asked for in
// huge pages (madvise(2), MADV_HUGEPAGE), 2 MiB of it touched at a time.
void reserve_large(std::string& text, std::size_t bytes);
// For memory that was just allocated and not yet touched; does nothing for less than 4 MiB.
void prefer_huge_pages(void* begin, std::size_t bytes);

}  // namespace messaging
