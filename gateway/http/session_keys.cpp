#include "gateway/http/session_keys.hpp"

#include <fmt/format.h>

#include <string_view>

#include "gateway/base/mac.hpp"
#include "gateway/http/key_store.hpp"
#include "gateway/storage/secret_file.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view prefix = "sak_";
constexpr std::size_t mac_letters = 64;

}  // namespace

result<session_keys> session_keys::open(const std::string& data_dir) {
    auto secret = storage::keep_secret({data_dir + "/session.key", "the key of sessions' keys",
                                        "remove it, and a new one is made: those that were given out end"});
    if (!secret) return secret.error();
    return session_keys(std::move(*secret));
}

std::string session_keys::key_of(const std::string& session_id) const {
    return fmt::format("{}{}_{}", prefix, mac_of(session_id), session_id);
}

std::optional<std::string> session_keys::session_of(const std::string& key) const {
    const auto id_at = prefix.size() + mac_letters + 1;
    if (!key.starts_with(prefix) || key.size() <= id_at || key[id_at - 1] != '_') return std::nullopt;
    auto session_id = key.substr(id_at);
    if (!equal_in_constant_time(key_of(session_id), key)) return std::nullopt;
    return session_id;
}

std::string session_keys::mac_of(const std::string& session_id) const {
    return gateway::mac_of(secret_, "cellgate session key 1\n" + session_id);
}

std::optional<principal> session_key_authenticator::find(const std::optional<std::string>& key) {
    auto session_id = key ? keys_.session_of(*key) : std::nullopt;
    if (!session_id) return inner_.find(key);
    auto user = find_user_(*session_id);
    if (!user) return std::nullopt;
    principal made;
    made.user_id = std::move(*user);
    made.allowed = scope::execute;
    made.key_id = "session";
    made.only_session = std::move(*session_id);
    return made;
}

}  // namespace gateway::http
