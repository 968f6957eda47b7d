// MCP over Streamable HTTP (revision 2025-06-18, "Transports"): a POST a message, answers as JSON or as server-sent
// events, and a GET stream for what the server says by itself. io thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gateway/tools/transport.hpp"

namespace gateway::tools {

struct http_options {
    std::string name;  // of the toolkit, for messages: "[tools.toolkits.NAME]"
    std::string url;
    std::map<std::string, std::string> headers;
    std::size_t max_message_bytes = 0;
    milliseconds retry{1'000};  // before the GET stream is opened again, unless the server says how long
};

std::unique_ptr<transport> make_http_transport(executor ex, http_options options);

}  // namespace gateway::tools
