#include "gateway/http/key_authenticator.hpp"

#include "gateway/base/log.hpp"

namespace gateway::http {
namespace {

constexpr milliseconds refresh_time{500};

principal make_admin(const char* key_id) {
    principal admin;
    admin.allowed = scope::admin;
    admin.key_id = key_id;
    return admin;
}

}  // namespace

key_authenticator::key_authenticator(key_store& store, const std::string& admin_token) : store_(store) {
    if (!admin_token.empty()) token_hash_ = hash_key(admin_token);
}

std::optional<principal> key_authenticator::find(const std::optional<std::string>& key) {
    if (!key || key->empty()) return std::nullopt;
    if (!token_hash_.empty() && equal_in_constant_time(token_hash_, hash_key(*key))) return make_admin("token");
    auto found = store_.find(*key);
    if (found) return found;
    // It may have been made a moment ago, by `cellgate keys create`.
    if (auto read = store_.reload(); !read) log::error("keys cannot be read: {}", read.error().message);
    return store_.find(*key);
}

awaitable<void> key_authenticator::watch(std::function<void(const std::string&)> revoked) {
    for (;;) {
        const bool slept = co_await sleep_for(refresh_time);
        if (!slept) co_return;
        auto gone = store_.refresh();
        if (!gone) log::error("keys cannot be read, a revoked one may stay in use: {}", gone.error().message);
        if (!gone) continue;
        for (const auto& key_id : *gone) {
            log::info("key {} was revoked", key_id);
            revoked(key_id);
        }
    }
}

std::optional<principal> open_authenticator::find(const std::optional<std::string>&) { return make_admin(""); }

}  // namespace gateway::http
