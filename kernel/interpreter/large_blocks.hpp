// Memory for Python's large objects.
#pragma once

namespace kernel {

// From here on blocks of megabytes come in huge pages (messaging/large_text.hpp): a text of 50 MB is then made in half
// the time. Before Python is initialised.
void prefer_huge_blocks();

}  // namespace kernel
