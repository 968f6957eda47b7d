#include "gateway/http/keys_command.hpp"

#include <fmt/format.h>

#include <ostream>

namespace gateway::http {
namespace {

int fail(const failure& why, std::ostream& errors) {
    errors << "cellgate keys: " << why.message << "\n";
    return why.code == errc::invalid_request ? 2 : 1;
}

}  // namespace

int add_key(key_store& store, const std::string& name, const std::string& user_id, const std::string& scope_name,
            std::ostream& out, std::ostream& errors) {
    auto allowed = find_scope(scope_name);
    if (!allowed)
        return fail(failure{errc::invalid_request,
                            fmt::format("the scope \"{}\" is none of execute, session and admin", scope_name)},
                    errors);
    auto made = store.add(name, user_id, *allowed);
    if (!made) return fail(made.error(), errors);
    // The key alone on standard output, so that a script can take it.
    errors << fmt::format("{} for user {} with scope {}. It is shown only now:\n", made->record.id, user_id,
                          scope_name);
    out << made->key << "\n";
    return 0;
}

int list_keys(const key_store& store, std::ostream& out, std::ostream& errors) {
    auto all = store.list();
    if (!all) return fail(all.error(), errors);
    constexpr auto line = "{:<29} {:<20} {:<20} {:<8} {:<28} {}\n";
    out << fmt::format(line, "ID", "NAME", "USER", "SCOPE", "CREATED", "REVOKED");
    for (const auto& each : *all)
        out << fmt::format(line, each.id, each.name, each.user_id, to_string(each.allowed), each.created_at,
                           each.revoked_at.value_or("-"));
    return 0;
}

int revoke_key(key_store& store, const std::string& id_or_name, std::ostream& out, std::ostream& errors) {
    auto revoked = store.revoke(id_or_name);
    if (!revoked) return fail(revoked.error(), errors);
    out << revoked->id << " (" << revoked->name << ") is revoked\n";
    return 0;
}

}  // namespace gateway::http
