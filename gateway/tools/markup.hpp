// The markup that search providers leave in titles and texts. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gateway::tools {

// Without tags, with the five entities of XML and numeric ones of printable ASCII as what they stand for, and every run
// of blanks as one space.
std::string plain_text(std::string_view text);

}  // namespace gateway::tools
