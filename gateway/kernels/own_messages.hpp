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

// Where the injected package finds its settings: Python code sees the metadata of its request in ipykernel only.
enum class settings_place { metadata, code };
settings_place settings_place_of(const std::string& info_reply);

// A silent execute_request that imports cellgate_kernel and calls install(), with {…preload_metadata, …cell_defaults,
// "helper_key", "socket"} as {"cellgate": …} in its metadata: its code is constant, and the key in no code, file or
// environment. With settings_place::code they are an argument as well. What goes wrong is written to stderr, whose
// message has this request as its parent.
messaging::message make_injection(const std::string& session, const std::string& helper_key,
                                  const std::string& preload_metadata, const std::string& cell_defaults,
                                  settings_place where);
// A silent execute_request that calls configure(env=…, cell_defaults=…); a null value removes the variable. What goes
// wrong is raised.
messaging::message make_configuration(const std::string& session,
                                      const std::map<std::string, std::optional<std::string>>& env,
                                      const std::string& cell_defaults);

// The text of a stream message's content; empty when it has none.
std::string stream_text(const std::string& content);
// "" for a reply with status ok, else "ENAME: EVALUE" (or the status).
std::string reply_error(const std::string& content);

}  // namespace gateway::kernels
