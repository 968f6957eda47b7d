// The authenticators that main chooses from. Owned by main; io thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/async.hpp"
#include "gateway/http/authenticator.hpp"
#include "gateway/http/key_store.hpp"

namespace gateway::http {

// auth = "keys": the keys of the store, and one admin token that lives in memory only (its key_id is "token").
class key_authenticator final : public authenticator {
  public:
    // `store` outlives the object. An empty token is none.
    key_authenticator(key_store& store, const std::string& admin_token);

    std::optional<principal> find(const std::optional<std::string>& key) override;
    // Looks twice a second for keys that another process (`cellgate keys revoke`) has revoked, and names them. Until it
    // is cancelled.
    awaitable<void> watch(std::function<void(const std::string& key_id)> revoked);

  private:
    key_store& store_;
    std::string token_hash_;
};

// auth = "none": everyone is admin.
class open_authenticator final : public authenticator {
  public:
    std::optional<principal> find(const std::optional<std::string>& key) override;
    bool requires_key() const override { return false; }
};

}  // namespace gateway::http
