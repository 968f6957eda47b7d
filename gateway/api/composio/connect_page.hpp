// The page on which a person gives the secret of a service. Every text in it is escaped, no script runs in it, nobody
// frames or keeps it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "gateway/accounts/pending_links.hpp"
#include "gateway/http/request.hpp"

namespace gateway::api::composio {

// What is said again when it was no good; never the secret.
struct connect_problem {
    std::string message;
    std::string username;
};

http::response connect_form(const accounts::pending_link& of, const connect_problem& about, int status);
// Nothing can be entered, or need be: what is so is said.
http::response connect_notice(std::string_view title, std::string_view message, int status);
// Back to who asked for the link; a notice where nobody said where.
http::response connected(const accounts::pending_link& of);

// Text as HTML has it, within elements and quoted attributes.
std::string escape_html(std::string_view text);

}  // namespace gateway::api::composio
