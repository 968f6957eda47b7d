// What a service answered to a call of an account, and how it is told to whoever called. A value; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "gateway/accounts/credential.hpp"
#include "gateway/outbound/headers.hpp"

namespace gateway::accounts {

enum class answer_form : std::uint8_t { empty, json, text, binary };

struct proxy_answer {
    int status = 0;
    answer_form form = answer_form::empty;
    std::string content_type;
    outbound::headers fields;  // as they came, but for those of the connection and Set-Cookie
    std::string body;
};

// Without the secret, whose forms the service may have repeated.
proxy_answer make_answer(int status, const outbound::headers& fields, std::string body, const credential& with);

// {"status", "data"?, "headers", "binary_data"?}: data is the JSON itself, or a text. Binary data has no `data`, but
// what `binary_data` says of it, as JSON; without that it is in it as base64: {"base64", "content_type", "size"}.
std::string envelope(const proxy_answer& from, const std::string& binary_data = "");

}  // namespace gateway::accounts
