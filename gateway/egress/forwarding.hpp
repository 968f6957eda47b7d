// What becomes of a request to the proxy: where it goes and what is written there; and of its answer. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "gateway/egress/denial.hpp"
#include "gateway/egress/destination.hpp"
#include "gateway/egress/http_head.hpp"

namespace gateway::egress {

struct forwarding {
    destination to;
    bool is_connect = false;
    std::optional<denial> refused;  // for what the head itself says
    // Unless it is CONNECT:
    std::string method;
    int minor_version = 1;  // of the client's HTTP/1
    std::string head;       // for the destination, with Connection: close
    body_length body;
};

// invalid_request: neither CONNECT HOST:PORT nor an http:// URI, or a head or body that can be taken in two ways.
result<forwarding> plan(const request_head& asked);

// The head for the client, with Connection: close unless it is an interim one (1xx). A client that speaks HTTP/1.0 gets
// a chunked body as it is without chunks.
std::string answer_for(const forwarding& asked, const answer_head& came, const body_length& body);

}  // namespace gateway::egress
