// The messages that every request causes, whoever answers it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "messaging/message.hpp"

namespace kernel {

// "execute_request" → "execute_reply"; another name stays and gains "_reply".
std::string reply_type(std::string_view request_type);
// On the request's channel, to its client.
messaging::message make_reply(const messaging::message& request, std::string_view type, std::string_view session,
                              std::string content);
// On iopub: `type` under the topic "kernel.SESSION.TYPE".
messaging::message make_publication(std::string_view parent_header, std::string_view type, std::string_view session,
                                    std::string content);
// "busy" or "idle".
messaging::message make_status(const messaging::message& request, std::string_view session, std::string_view state);
// Content of a reply with status error.
std::string error_content(std::string_view name, std::string_view value);
// Content of a reply with status aborted: the request waited behind a cell that failed.
std::string aborted_content();

}  // namespace kernel
