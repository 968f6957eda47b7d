// Other settings for a session that there is.
#include <fmt/core.h>

#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/sessions/change_mark.hpp"
#include "gateway/sessions/live_registry.hpp"

namespace gateway::sessions {
awaitable<result<void>> live_registry::change(std::string session_id, session_change what) {
    auto found = sessions_.find(session_id);
    if (found == sessions_.end()) co_return failure{errc::session_not_found, "there is no session " + session_id};
    if (changing_.contains(session_id))
        co_return failure{errc::conflict, "the session is being changed already: ask again when that is done"};
    const auto which = found->second;
    const auto before = which->options();
    if (what.network && *what.network && !which->network()) co_return no_own_network(before.made_by);
    auto after = changed(before, what, session_id);
    if (!after) co_return after.error();
    if (after->name != before.name && find_by_name(before.user_id, after->name))
        co_return failure{errc::name_taken,
                          fmt::format("you have a session named {} already; take another name", after->name)};
    const change_mark mark(changing_, session_id);
    which->set_options(std::move(*after));
    if (keeper_ && before.made_by == origin::agent) {
        keeper_->put(which->kept());
        auto kept = co_await keeper_->written(session_id);
        if (!kept) {
            which->set_options(before);
            keeper_->put(which->kept());
            co_return failure{kept.error().code, "the change cannot be written down: " + kept.error().message};
        }
    }
    if (auto limited = limit_files(which->directory(), which->size()); !limited)
        log::warning("session {} keeps the limits of its files: {}", session_id, limited.error().message);
    co_await which->adapt();
    co_return result<void>{};
}

}  // namespace gateway::sessions
