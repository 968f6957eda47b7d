// Who is calling: a user ID and what its key may do. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

// Each scope includes those before it.
enum class scope : std::uint8_t {
    none,     // no credentials
    execute,  // use that user's existing sessions
    session,  // also make and end them
    admin,    // name any user, see everything
};

// "execute": as the command line and messages name it.
const char* to_string(scope which);
std::optional<scope> find_scope(std::string_view name);

struct principal {
    std::string user_id = "default";
    scope allowed = scope::none;
    std::string key_id;  // which key, so that its sockets can be closed when it is revoked; empty with auth = "none"
    std::string only_session = {};  // not empty: the caller has that session's own key, which is good for nothing else

    bool may(scope needed) const { return allowed >= needed; }
    bool is_admin() const { return allowed == scope::admin; }
    // Whether this caller may see what belongs to `owner`.
    bool sees(const std::string& owner) const { return is_admin() || owner == user_id; }
};

}  // namespace gateway::http
