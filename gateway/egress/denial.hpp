// Why a session's connection was not made, or ended. Constant; any thread.
#pragma once

#include <cstdint>

namespace gateway::egress {

enum class denial : std::uint8_t {
    network_off,             // mode none
    host_not_allowed,        // no rule names it
    port_not_allowed,        // a rule names the host, with other ports
    address_refused,         // it is, or resolves to, an address that sessions may not reach
    not_tls,                 // CONNECT, and then something else
    malformed_hello,         // TLS whose ClientHello cannot be judged
    server_name_missing,     // no SNI for a name
    server_name_mismatch,    // an SNI for another host
    encrypted_client_hello,  // the true server name is hidden
    host_header_mismatch,    // Host is not the URI's
    bytes_used_up,           // max_bytes
};

// "host_not_allowed": for programs.
const char* to_string(denial why);
// "no rule of the session's network policy allows this host": for people.
const char* describe(denial why);

}  // namespace gateway::egress
