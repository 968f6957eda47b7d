#include "gateway/egress/denial.hpp"

#include <cstddef>

namespace gateway::egress {
namespace {

struct text {
    denial why;
    const char* name;
    const char* meaning;
};

constexpr text texts[] = {
    {denial::network_off, "network_off", "the session's network policy has mode none"},
    {denial::host_not_allowed, "host_not_allowed", "no rule of the session's network policy allows this host"},
    {denial::port_not_allowed, "port_not_allowed", "the session's network policy allows this host on other ports only"},
    {denial::address_refused, "address_refused",
     "this address may not be reached from sessions; network.allow_networks names those that may be besides public "
     "ones"},
    {denial::not_tls, "not_tls", "CONNECT carries TLS only"},
    {denial::malformed_hello, "malformed_hello", "the TLS ClientHello is malformed or too long"},
    {denial::server_name_missing, "server_name_missing", "the TLS ClientHello names no server (SNI)"},
    {denial::server_name_mismatch, "server_name_mismatch",
     "the TLS ClientHello names another server (SNI) than CONNECT"},
    {denial::encrypted_client_hello, "encrypted_client_hello",
     "encrypted ClientHello (ECH) hides the server's name, which mode allow has to see"},
    {denial::host_header_mismatch, "host_header_mismatch", "the Host header names another host than the URI"},
    {denial::bytes_used_up, "bytes_used_up", "the session has used up max_bytes of its network policy"},
};

const text& find(denial why) { return texts[static_cast<std::size_t>(why)]; }

}  // namespace

const char* to_string(denial why) { return find(why).name; }

const char* describe(denial why) { return find(why).meaning; }

}  // namespace gateway::egress
