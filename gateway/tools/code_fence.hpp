// The fence of Markdown that models like to put around an answer. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gateway::tools {

// What is inside when one code block is the whole answer (spaces around it do not count); otherwise the text as it
// came.
std::string without_fence(std::string_view text);

}  // namespace gateway::tools
