// MCP over the standard streams of a child process: one message a line (revision 2025-06-18, "Transports"). io thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/tools/transport.hpp"

namespace gateway::tools {

struct stdio_options {
    std::string name;  // of the toolkit, for the log
    std::vector<std::string> command;
    std::map<std::string, std::string> env;  // the whole environment
    std::size_t max_message_bytes = 0;
};

std::unique_ptr<transport> make_stdio_transport(executor ex, stdio_options options);

}  // namespace gateway::tools
