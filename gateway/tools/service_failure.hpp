// What an HTTP status means when a model or search server answers with it. Pure; any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gateway/base/result.hpp"
#include "gateway/outbound/headers.hpp"

namespace gateway::tools {

// Who is asked, for messages: "the model server", and the section of the configuration that names it.
struct service_name {
    std::string what;
    std::string section;
    std::string secret;  // never shown, also when the server repeats it
};

// For a status that is not 2xx. `body` is the beginning of the answer's body.
failure service_refusal(const service_name& who, int status, const outbound::headers& fields, std::string_view body);
// For anything else: a connection that was not made, or broke, an answer that cannot be used.
failure service_failure(const service_name& who, const failure& why);
// What a server said of its failure, on one line and short, without the secret.
std::string said_by(const service_name& who, std::string_view body);

// Retry-After, as seconds or as a date (RFC 9110, section 10.2.3), or OpenAI's retry-after-ms. 0 when there is none.
std::chrono::seconds retry_after(const outbound::headers& fields, std::chrono::system_clock::time_point now);

}  // namespace gateway::tools
