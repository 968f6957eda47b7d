#include "gateway/http/principal.hpp"

namespace gateway::http {
namespace {

constexpr const char* names[] = {"none", "execute", "session", "admin"};

}  // namespace

const char* to_string(scope which) { return names[static_cast<int>(which)]; }

std::optional<scope> find_scope(std::string_view name) {
    for (auto which : {scope::execute, scope::session, scope::admin})
        if (name == to_string(which)) return which;
    return std::nullopt;
}

}  // namespace gateway::http
