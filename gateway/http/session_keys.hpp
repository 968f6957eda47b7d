// Keys that are good for one session: for programs that work for it outside of its box. They are computed from the
// session's id, so that nothing is kept for them: they end with the session. Owned by the server; io thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gateway/http/authenticator.hpp"

namespace gateway::http {

class session_keys {
  public:
    // Whoever has the secret can make every key.
    explicit session_keys(std::string secret) : secret_(std::move(secret)) {}
    // The secret is in DATA_DIR/session.key (0600), made when it is missing: keys outlive the gateway, as sessions do.
    static result<session_keys> open(const std::string& data_dir);

    // "sak_…"
    std::string key_of(const std::string& session_id) const;
    // The session that this is the key of, whether it lives or not; nothing when it is none of ours.
    std::optional<std::string> session_of(const std::string& key) const;

  private:
    std::string mac_of(const std::string& session_id) const;

    std::string secret_;
};

// Knows these keys beside those of `inner`. Such a caller has the scope execute, for its session alone.
class session_key_authenticator final : public authenticator {
  public:
    // The user of a living session; nothing when there is no such session.
    using user_finder = std::function<std::optional<std::string>(const std::string& session_id)>;

    // Both outlive it.
    session_key_authenticator(authenticator& inner, const session_keys& keys, user_finder find_user)
        : inner_(inner), keys_(keys), find_user_(std::move(find_user)) {}

    std::optional<principal> find(const std::optional<std::string>& key) override;
    bool requires_key() const override { return inner_.requires_key(); }

  private:
    authenticator& inner_;
    const session_keys& keys_;
    user_finder find_user_;
};

}  // namespace gateway::http
