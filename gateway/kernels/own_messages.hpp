// The messages that the gateway itself sends to a kernel: probes, the injected code, requests to end. Pure; any thread.
// All carry the gateway's own session id, by which their answers are told from those of clients.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "messaging/message.hpp"

namespace gateway::kernels {

messaging::message make_probe(messaging::channel where, const std::string& session);
messaging::message make_interrupt_request(const std::string& session);
messaging::message make_shutdown_request(const std::string& session, bool restart);

// A silent execute_request whose code imports cellgate_kernel and calls install(), which reads the request's metadata:
// {"cellgate": {…preload_metadata, "helper_key", "socket"}}. The key is in no file or environment, and in the code only
// with `settings_in_code`, for kernels that do not show a request's metadata to Python (xeus-python does not). What
// goes wrong is written to stderr, whose message has this request as its parent.
messaging::message make_injection(const std::string& session, const std::string& helper_key,
                                  const std::string& preload_metadata, bool settings_in_code = false);
// A silent execute_request that calls configure(env=…); a null value removes the variable. What goes wrong is raised.
messaging::message make_configuration(const std::string& session,
                                      const std::map<std::string, std::optional<std::string>>& env);

// The text of a stream message's content; empty when it has none.
std::string stream_text(const std::string& content);
// "" for a reply with status ok, else "ENAME: EVALUE" (or the status).
std::string reply_error(const std::string& content);

}  // namespace gateway::kernels
