#include "gateway/sessions/session_change.hpp"

#include <fmt/format.h>

#include "gateway/sessions/sandbox.hpp"

namespace gateway::sessions {
namespace {

template <class T>
void set(std::optional<T>& into, const std::optional<std::optional<T>>& by) {
    if (by) into = *by;
}

}  // namespace

result<session_options> changed(session_options from, const session_change& by, const std::string& session_id) {
    if (by.name) from.name = by.name->value_or(session_id);
    set(from.cell_timeout, by.cell_timeout);
    set(from.idle_timeout, by.idle_timeout);
    set(from.lifetime, by.lifetime);
    set(from.settings.error_correction, by.error_correction);
    set(from.settings.install, by.install);
    set(from.network, by.network);
    if (by.forget_sandbox) from.sandbox = "{}";
    if (!by.sandbox.empty()) from.sandbox = change_sandbox(from.sandbox, by.sandbox);
    if (!by.forget_sandbox && by.sandbox.empty()) return from;
    if (from.sandbox.size() > most_sandbox_bytes)
        return failure{errc::too_large,
                       fmt::format("sandbox would have {} bytes with this change; at most {} are taken",
                                   from.sandbox.size(), most_sandbox_bytes)};
    if (auto good = read_sandbox(from.sandbox); !good) return good.error();
    return from;
}

}  // namespace gateway::sessions
