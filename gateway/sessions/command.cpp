#include "gateway/sessions/command.hpp"

namespace gateway::sessions {

const char* to_string(command_stream which) { return which == command_stream::out ? "stdout" : "stderr"; }

}  // namespace gateway::sessions
